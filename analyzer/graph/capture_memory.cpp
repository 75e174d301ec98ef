#include "analyzer/graph/capture_memory.h"

#include <algorithm>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

constexpr std::string_view kSplits[] = {
    "aten::chunk",  "aten::split",        "aten::unbind", "aten::split_with_sizes",
    "aten::hsplit", "aten::tensor_split", "aten::vsplit", "aten::dsplit"};
constexpr std::string_view kPerhapsCopies[] = {"aten::to", "aten::contiguous", "aten::reshape",
                                               "aten::flatten", "aten::type_as"};

// Operators of kadvise never return an argument.
bool isOfOurs(const Node* n) { return std::string_view(n->kind().toQualString()).starts_with("kadvise::"); }

// A list that nobody changes: what comes out of it is what the split put in.
bool isOnlyUnpacked(const Value* list) {
  return std::all_of(list->uses().begin(), list->uses().end(), [](const jit::Use& use) {
    return use.user->kind() == prim::ListUnpack || use.user->kind() == jit::aten::__getitem__;
  });
}

Node* splitBehind(const Value* v) {
  Node* n = const_cast<Node*>(v->node());
  bool unpacks = n->kind() == prim::ListUnpack || n->kind() == jit::aten::__getitem__;
  if (!unpacks || !isOneOf(kSplits, n->input(0)->node()) || !isOnlyUnpacked(n->input(0))) return nullptr;
  return n->input(0)->node();
}

}  // namespace

Value* viewedValue(Value* v) {
  if (Node* split = splitBehind(v)) return split->input(0);
  return isTensor(v) ? const_cast<Value*>(mayView(v)) : nullptr;
}

Value* memoryOf(Value* v) {
  while (Value* base = viewedValue(v)) v = base;
  return v;
}

std::vector<Node*> viewsTo(Value* v) {
  std::vector<Node*> out;
  for (Value* base; (base = viewedValue(v)); v = base) {
    out.push_back(v->node());
    if (Node* split = splitBehind(v)) out.push_back(split);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

bool isOwnMemory(const Value* v) {
  const Node* n = v->node();
  auto* schema = n->maybeSchema();
  if (!schema || !n->blocks().empty() || !isTensor(v) || v->offset() >= schema->returns().size())
    return false;
  bool described = n->kind().is_aten() || isOfOurs(n);
  return described && !schema->returns()[v->offset()].alias_info() && !viewedValue(const_cast<Value*>(v));
}

bool mayCopy(const Node* n) { return isOneOf(kPerhapsCopies, n); }

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
