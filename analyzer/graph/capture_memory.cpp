#include "analyzer/graph/capture_memory.h"

#include <algorithm>

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
