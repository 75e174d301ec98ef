#include "analyzer/graph/written.h"

#include <algorithm>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

Value* viewedByBlockInput(const Value* v) {
  Node* loop = const_cast<Value*>(v)->node()->owningBlock()->owningNode();
  bool carried = loop && loop->kind() == prim::Loop && v->offset() > 0;
  return carried ? loop->input(v->offset() + 1) : nullptr;
}

bool isAfter(const Node* user, const Node* n) {
  if (user->owningBlock() == n->owningBlock()) return n->isBefore(user);
  return n->owningGraph() == user->owningGraph() && n->isBefore(user);
}

}  // namespace

Value* viewedBySchema(const Value* v) {
  const Node* n = v->node();
  auto* schema = n->maybeSchema();
  if (!schema || v->offset() >= schema->returns().size()) return nullptr;
  auto* result = schema->returns()[v->offset()].alias_info();
  if (!result || result->isWildcardAfter()) return nullptr;
  for (std::size_t i = 0; i < schema->arguments().size() && i < n->inputs().size(); ++i) {
    auto* argument = schema->arguments()[i].alias_info();
    if (!argument) continue;
    for (auto& set : argument->beforeSets())
      if (result->beforeSets().count(set)) return const_cast<Node*>(n)->input(i);
  }
  return nullptr;
}

Value* writtenBy(const Node* n) {
  auto* schema = n->maybeSchema();
  if (!schema || !schema->is_mutable()) return nullptr;
  for (std::size_t i = 0; i < schema->arguments().size() && i < n->inputs().size(); ++i) {
    auto* alias = schema->arguments()[i].alias_info();
    if (alias && alias->isWrite() && !isNone(const_cast<Node*>(n)->input(i)))
      return const_cast<Node*>(n)->input(i);
  }
  return nullptr;
}

bool updatesStatistics(const Node* n) {
  constexpr std::string_view kNorms[] = {"aten::batch_norm", "aten::instance_norm", "aten::native_batch_norm",
                                         "aten::cudnn_batch_norm", "aten::_batch_norm_impl_index"};
  constexpr std::size_t training = 5;
  if (!isOneOf(kNorms, n) || isNone(const_cast<Node*>(n)->input(kStatistics[0]))) return false;
  auto flag = jit::toIValue(n->inputs()[training]);
  return !flag || !flag->isBool() || flag->toBool();
}

Value* viewedBy(const Value* v) {
  const Node* n = v->node();
  if (n->kind() == prim::Param) return viewedByBlockInput(v);
  if (has(n, OperatorTrait::PerhapsCopy)) return nullptr;
  return isTensor(v) ? const_cast<Value*>(mayView(v)) : nullptr;
}

Value* rootOf(Value* v) {
  while (Value* base = viewedBy(v)) v = base;
  return v;
}

Owner ownerOf(Value* v) {
  Value* root = rootOf(v);
  Node* n = root->node();
  if (n->kind() == prim::GetAttr) return Owner::State;
  if (n->kind() == prim::Param)
    return n->owningBlock() == n->owningGraph()->block() ? Owner::Input : Owner::Unknown;
  auto* schema = n->maybeSchema();
  if (!schema || !n->blocks().empty() || root->offset() >= schema->returns().size()) return Owner::Unknown;
  return schema->returns()[root->offset()].alias_info() ? Owner::Unknown : Owner::Local;
}

bool isPart(const Value* v) {
  for (; v; v = viewedBy(v))
    if (has(v->node(), OperatorTrait::Part)) return true;
  return false;
}

const Node* outermostLoop(const Node* n) {
  const Node* out = n;
  for (auto* owner = n->owningBlock()->owningNode(); owner; owner = owner->owningBlock()->owningNode())
    if (owner->kind() == prim::Loop) out = owner;
  return out;
}

bool isReadElsewhereAfter(Node* n, const jit::AliasDb& aliases) {
  Value* target = writtenBy(n);
  bool found = false;
  forEachNode(n->owningGraph()->block(), [&](Node* user) {
    if (found || user == n || !isAfter(user, n)) return;
    for (Value* in : user->inputs()) {
      bool ownResult = std::find(n->outputs().begin(), n->outputs().end(), in) != n->outputs().end();
      if (in != target && !ownResult && isTensor(in) && aliases.mayAlias(in, target)) {
        found = true;
        return;
      }
    }
  });
  return found;
}

}  // namespace kadvise::graph
