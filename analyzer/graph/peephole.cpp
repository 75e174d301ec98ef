#include "analyzer/graph/peephole.h"

#include <algorithm>
#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// x * 1, x / 1, x + 0 and x - 0: LibTorch drops them whatever x is, and with them the promotion of an integer
// or a bool.
bool isNeutral(Node* n) {
  auto k = n->kind();
  bool product = k == jit::aten::mul || k == jit::aten::div, sum = k == jit::aten::add || k == jit::aten::sub;
  if ((!product && !sum) || n->inputs().size() < 2 || !isTensor(n->input(0))) return false;
  auto number = jit::toIValue(n->input(1));
  return number && (number->isInt() || number->isDouble()) &&
         number->toScalar().toDouble() == (product ? 1 : 0);
}

// cat([cat([a, b]), c]): LibTorch makes one cat of it, whatever is written to a between the two.
bool isJoinedAgain(Node* n) {
  if (n->kind() != jit::aten::cat) return false;
  auto feedsCat = [](const jit::Use& list) { return list.user->kind() == jit::aten::cat; };
  return std::any_of(n->output()->uses().begin(), n->output()->uses().end(), [&](const jit::Use& use) {
    bool listed = use.user->kind() == jit::prim::ListConstruct;
    return listed &&
           std::any_of(use.user->output()->uses().begin(), use.user->output()->uses().end(), feedsCat);
  });
}

}  // namespace

void peephole(const std::shared_ptr<jit::Graph>& graph, PeepholeShapes shapes) {
  // While the pass runs, their numbers are inputs of the graph, of which it knows nothing.
  std::vector<c10::IValue> numbers;
  std::size_t inputs = graph->inputs().size();
  forEachNode(graph->block(), [&](Node* n) {
    if (!isNeutral(n) && !isJoinedAgain(n)) return;
    auto number = jit::toIValue(n->input(1));
    if (!number) return;
    numbers.push_back(*number);
    n->replaceInput(1, graph->addInput()->setType(n->input(1)->type()));
  });
  auto g = graph;
  jit::PeepholeOptimize(g, shapes == PeepholeShapes::Ignore);
  for (std::size_t i = numbers.size(); i-- > 0;) {
    Value* stand = graph->inputs()[inputs + i];
    if (stand->hasUses()) stand->replaceAllUsesWith(constantOf(*graph, numbers[i]));
    graph->eraseInput(inputs + i);
  }
}

}  // namespace kadvise::graph
