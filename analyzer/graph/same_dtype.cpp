#include "analyzer/graph/same_dtype.h"

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

bool writesFirst(const Node* n) {
  auto* schema = n->maybeSchema();
  if (!schema || schema->arguments().empty() || n->inputs().empty()) return false;
  auto* first = schema->arguments()[0].alias_info();
  return first && first->isWrite() && isTensor(n->inputs()[0]);
}

bool isBySizes(const Node* view) { return view->inputs()[1]->type()->isSubtypeOf(*c10::ListType::ofInts()); }

// What always runs: an error that it raises ends every call.
bool isUnconditional(const Node* n) { return n->owningBlock() == n->owningGraph()->block(); }

}  // namespace

SameDtype::SameDtype(jit::Graph& graph) {
  for (bool changed = true; changed;) {  // what holds behind a node may say something of what is before it
    changed = false;
    forEachNode(graph.block(), [&](Node* n) { changed = visit(n) || changed; });
  }
}

bool SameDtype::isKnown(const Value* a, const Value* b) const { return rootOf(a) == rootOf(b); }

const Value* SameDtype::rootOf(const Value* v) const {
  for (auto at = parent_.find(v); at != parent_.end(); at = parent_.find(v)) v = at->second;
  return v;
}

bool SameDtype::join(const Value* a, const Value* b) {
  const Value *x = rootOf(a), *y = rootOf(b);
  if (x == y) return false;
  parent_[x] = y;
  return true;
}

bool SameDtype::joinBranches(Node* n) {
  bool changed = false;
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    const Value *one = n->blocks()[0]->outputs()[i], *other = n->blocks()[1]->outputs()[i];
    if (isTensor(n->output(i)) && isKnown(one, other)) changed = join(n->output(i), one) || changed;
  }
  return changed;
}

bool SameDtype::joinAttribute(Node* n) {
  auto path = isTensor(n->output()) ? attributePath(n->output()) : std::nullopt;
  if (!path) return false;
  auto [first, fresh] = attributes_.emplace(*path, n->output());
  return !fresh && join(first->second, n->output());
}

bool SameDtype::visit(Node* n) {
  if (n->kind() == prim::If) return joinBranches(n);
  if (n->kind() == prim::GetAttr) return joinAttribute(n);
  if (n->inputs().empty() || n->outputs().empty()) return false;
  bool ofPieces = n->kind() == jit::aten::__getitem__ || n->kind() == prim::ListUnpack;
  if (ofPieces && has(n->input(0)->node(), OperatorTrait::Pieces)) {
    bool changed = false;
    for (auto* out : n->outputs()) changed = join(out, n->input(0)->node()->input(0)) || changed;
    return changed;
  }
  if (!isTensor(n->output(0)) || !isTensor(n->input(0))) return false;
  bool view = n->kind() == jit::aten::view && isBySizes(n);
  if (view || writesFirst(n) || has(n, OperatorTrait::KeepsDtype)) return join(n->output(0), n->input(0));
  if (n->inputs().size() < 2 || !isTensor(n->input(1))) return false;
  bool same = isKnown(n->input(0), n->input(1));
  if (has(n, OperatorTrait::WantsOneDtype) && (same || isUnconditional(n))) {
    bool operands = join(n->input(0), n->input(1));
    return join(n->output(0), n->input(0)) || operands;
  }
  return has(n, OperatorTrait::Promotes) && same && join(n->output(0), n->input(0));
}

}  // namespace kadvise::graph
