#include "analyzer/graph/operands.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
using jit::Node;
using jit::Value;

bool swappable(const Node* n) {
  if (!has(n, OperatorTrait::Commutes) || n->inputs().size() < 2) return false;
  // add(a, b, alpha) is a + alpha * b.
  return n->kind() != jit::aten::add || n->inputs().size() < 3 ||
         constantInt(const_cast<Node*>(n)->input(2)) == 1;
}

bool swappableDims(const Node* n) { return n->kind() == jit::aten::transpose && n->inputs().size() == 3; }

bool isDimension(const Node* n, std::size_t operand) {
  auto* schema = n->maybeSchema();
  if (!schema || operand >= schema->arguments().size()) return false;
  auto& name = schema->arguments()[operand].name();
  return name == "dim" || name == "dim0" || name == "dim1";
}

bool sameDimension(const c10::IValue& a, const c10::IValue& b, std::int64_t rank) {
  if (a.isInt() && b.isInt()) return (a.toInt() + rank) % rank == (b.toInt() + rank) % rank;
  if (!a.isIntList() || !b.isIntList()) return false;
  auto x = a.toIntVector(), y = b.toIntVector();
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [&](auto p, auto q) {
           return (p + rank) % rank == (q + rank) % rank;
         });
}

bool isTransparent(const Node* n) {
  auto k = n->kind();
  return k == jit::aten::contiguous || k == jit::aten::clone || k == jit::aten::detach ||
         k == jit::aten::alias;
}

Value* seeThrough(Value* v) {
  while (isTransparent(v->node())) v = v->node()->input(0);
  return v;
}

}  // namespace kadvise::graph
