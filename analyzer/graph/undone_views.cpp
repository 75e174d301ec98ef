#include "analyzer/graph/undone_views.h"

#include <utility>

#include "analyzer/graph/settled.h"
#include "analyzer/graph/step.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

using jit::Node;

// The two dimensions from the front, the smaller first.
std::optional<std::pair<std::int64_t, std::int64_t>> swapped(Node* n, std::int64_t rank) {
  auto a = constantInt(n->input(1)), b = constantInt(n->input(2));
  if (!a || !b) return std::nullopt;
  if (*a < 0) *a += rank;
  if (*b < 0) *b += rank;
  return std::pair(std::min(*a, *b), std::max(*a, *b));
}

bool isTranspose(const Node* n) { return n->kind() == jit::aten::transpose && n->inputs().size() == 3; }

}  // namespace

void dropUndoneViews(const std::shared_ptr<jit::Graph>& graph, const TracedValues& traced) {
  Settled settled(*graph, traced);
  forEachStep(*graph, [&](const Step& s, Node* n) {
    if (!isTranspose(n) || !isMade(n) || !isTranspose(n->input(0)->node())) return;
    Node* first = n->input(0)->node();
    auto* seen = settled.tensor(n->input(0));
    if (!seen || !s.onlyRead(n)) return;
    auto rank = static_cast<std::int64_t>(seen->shape.size());
    auto there = swapped(first, rank);
    if (there && there == swapped(n, rank)) s.replace(n, first->input(0));
  });
  jit::EliminateDeadCode(graph);
  graph->lint();
}

}  // namespace kadvise::graph
