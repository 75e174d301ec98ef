#include "analyzer/graph/carried_none.h"

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;
constexpr int kMostSteps = 64;  // up a chain of branches

// What the value is when `none` is None: None or a bool, or nothing where that is open.
std::optional<c10::IValue> valueGiven(const Value* none, Value* v, int steps) {
  if (v == none) return c10::IValue();
  if (auto constant = jit::toIValue(v)) return constant;
  Node* n = v->node();
  if (steps == 0) return std::nullopt;
  if (n->kind() == aten::__is__ || n->kind() == aten::__isnot__) {
    auto a = valueGiven(none, n->input(0), steps - 1), b = valueGiven(none, n->input(1), steps - 1);
    bool decided = a && b && a->isNone() && b->isNone();
    return decided ? std::optional<c10::IValue>(n->kind() == aten::__is__) : std::nullopt;
  }
  if (n->kind() == prim::If) {
    auto condition = valueGiven(none, n->input(), steps - 1);
    if (!condition || !condition->isBool()) return std::nullopt;
    jit::Block* taken = n->blocks()[condition->toBool() ? 0 : 1];
    return valueGiven(none, taken->outputs()[v->offset()], steps - 1);
  }
  return std::nullopt;
}

}  // namespace

bool settleCarriedNone(jit::Graph& graph) {
  bool any = false;
  forEachNode(graph.block(), [&](Node* loop) {
    if (loop->kind() != prim::Loop) return;
    jit::Block* body = loop->blocks()[0];
    for (std::size_t i = 0; i < loop->outputs().size();
         ++i) {  // a loop's inputs: trips, condition, what is carried
      Value* carried = body->inputs()[i + 1];
      if (!isNone(loop->input(i + 2)) || (!carried->hasUses() && !loop->output(i)->hasUses())) continue;
      auto after = valueGiven(carried, body->outputs()[i + 1], kMostSteps);
      if (!after || !after->isNone()) continue;
      carried->replaceAllUsesWith(loop->input(i + 2));
      loop->output(i)->replaceAllUsesWith(loop->input(i + 2));
      any = true;
    }
  });
  return any;
}

}  // namespace kadvise::graph
