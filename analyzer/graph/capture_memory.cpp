#include "analyzer/graph/capture_memory.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

// Operators of kadvise never return an argument.
bool isOfOurs(const Node* n) { return std::string_view(n->kind().toQualString()).starts_with("kadvise::"); }

// A tensor out of a list that an operator of ours has made, if it is taken out only once.
bool isTakenOutOfOurs(const Value* v) {
  const Node* n = v->node();
  bool unpacks = n->kind() == prim::ListUnpack, reads = n->kind() == jit::aten::__getitem__;
  if ((!unpacks && !reads) || !isOfOurs(n->inputs()[0]->node())) return false;
  auto& uses = n->inputs()[0]->uses();
  if (unpacks) return uses.size() == 1;
  std::set<std::int64_t> indices;
  return std::all_of(uses.begin(), uses.end(), [&](auto& use) {
    auto index = use.user->kind() == jit::aten::__getitem__ ? constantInt(use.user->input(1)) : std::nullopt;
    return index && *index >= 0 && indices.insert(*index).second;
  });
}

}  // namespace

Value* viewedValue(Value* v) { return isTensor(v) ? const_cast<Value*>(mayView(v)) : nullptr; }

Value* memoryOf(Value* v) {
  while (Value* base = viewedValue(v)) v = base;
  return v;
}

std::vector<Node*> viewsTo(Value* v) {
  std::vector<Node*> out;
  for (Value* base; (base = viewedValue(v)); v = base) {
    Node* n = v->node();
    out.push_back(n);
    bool isPiece = n->input(0) != base && has(n->input(0)->node(), OperatorTrait::Pieces);
    if (isPiece) out.push_back(n->input(0)->node());
  }
  std::reverse(out.begin(), out.end());
  return out;
}

bool isOwnMemory(const Value* v) {
  const Node* n = v->node();
  if (isTensor(v) && isTakenOutOfOurs(v)) return true;
  auto* schema = n->maybeSchema();
  if (!schema || !n->blocks().empty() || !isTensor(v) || v->offset() >= schema->returns().size())
    return false;
  bool described = n->kind().is_aten() || isOfOurs(n);
  return described && !schema->returns()[v->offset()].alias_info() && !viewedValue(const_cast<Value*>(v));
}

bool mayCopy(const Node* n) {
  if (has(n, OperatorTrait::PerhapsCopy)) return true;
  bool oneTensor = n->kind().is_aten() && n->outputs().size() == 1 && n->kind() != jit::aten::__getitem__;
  return oneTensor && mayView(n->outputs()[0]) && !viewedBySchema(n->outputs()[0]);
}

std::vector<Value*> writtenValues(const Node* n) {
  std::vector<Value*> out;
  auto* schema = n->maybeSchema();
  if (!schema || !schema->is_mutable()) return out;
  for (std::size_t i = 0; i < schema->arguments().size() && i < n->inputs().size(); ++i) {
    auto* alias = schema->arguments()[i].alias_info();
    Value* in = const_cast<Node*>(n)->input(i);
    if (alias && alias->isWrite() && !isNone(in)) out.push_back(in);
  }
  return out;
}

}  // namespace kadvise::graph
