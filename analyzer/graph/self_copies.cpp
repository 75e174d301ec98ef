#include "analyzer/graph/self_copies.h"

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/step.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool isSameOperand(Value* a, Value* b) {
  // A list may be another one in between.
  if (a == b && a->type()->kind() != c10::TypeKind::ListType) return true;
  auto left = jit::toIValue(a), right = jit::toIValue(b);
  return left && right && !left->isTensor() && sameConstant(*left, *right);
}

// A view that is one whatever the tensor at hand.
Value* certainlyViewedBy(Node* n) {
  bool isCertain = n->outputs().size() == 1 && isPure(n) && !has(n, OperatorTrait::PerhapsCopy);
  return isCertain ? viewedBySchema(n->output()) : nullptr;
}

// The same elements of the same tensor, taken twice.
bool areOneView(Value* a, Value* b) {
  if (a == b) return true;
  Node *left = a->node(), *right = b->node();
  if (left->kind() != right->kind() || left->inputs().size() != right->inputs().size()) return false;
  if (!left->maybeSchema() || left->maybeSchema() != right->maybeSchema()) return false;
  Value *of = certainlyViewedBy(left), *alike = certainlyViewedBy(right);
  if (!of || !alike) return false;
  for (std::size_t i = 0; i < left->inputs().size(); ++i) {
    bool isViewed = left->input(i) == of && right->input(i) == alike;
    if (!isViewed && !isSameOperand(left->input(i), right->input(i))) return false;
  }
  return areOneView(of, alike);
}

bool copiesOntoItself(Node* n) {
  if (n->kind() != jit::aten::copy_ || n->inputs().size() < 2) return false;
  Value *copied = n->input(1), *changed = writtenBy(copied->node());
  return changed && viewedBySchema(copied) == changed && areOneView(n->input(0), changed);
}

// Views that were taken for the copy alone.
void destroyUnread(Node* view) {
  while (!view->hasUses() && certainlyViewedBy(view)) {
    Node* of = certainlyViewedBy(view)->node();
    view->destroy();
    view = of;
  }
}

}  // namespace

void dropSelfCopies(jit::Graph& graph) {
  auto copies = nodesWhere(graph.block(), copiesOntoItself);
  // Two views that were taken alike show the same only while nobody reshapes what they were taken of.
  if (copies.empty() || !nodesWhere(graph.block(), reshapesInPlace).empty()) return;
  for (Node* copy : copies) {
    Node* into = copy->input(0)->node();
    copy->output()->replaceAllUsesWith(copy->input(1));
    copy->destroy();
    destroyUnread(into);
  }
}

}  // namespace kadvise::graph
