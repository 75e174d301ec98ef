#include "analyzer/graph/match.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/matcher.h"

namespace kadvise::graph {
namespace {

bool isOneBlock(const std::set<Node*>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](Node* n) { return n->owningBlock() == (*nodes.begin())->owningBlock(); });
}
Mismatch crossesBlocks() { return {"the region", "crosses an if or a loop"}; }

// Parameters that the variant decides, and numbers of the type that the pattern declares, become constants of
// the module's graph. They stand at its start and cost nothing.
void bindDecided(const Pattern& pattern, jit::Graph& graph, Match& match) {
  for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
    auto* p = pattern.graph->inputs()[i];
    if (pattern.fixed[i]) {
      match.bound[p] = constantOf(graph, *pattern.fixed[i]);
      continue;
    }
    auto number = constantInt(match.at(p));
    if (number && p->type()->kind() == c10::TypeKind::FloatType)
      match.bound[p] = constantOf(graph, static_cast<double>(*number));
  }
}

}  // namespace

std::optional<Match> matchAt(const Pattern& pattern, Node* anchor, const TracedValues& traced,
                             NearMiss& near) {
  if (anchor->kind() != pattern.graph->outputs()[0]->node()->kind()) return std::nullopt;  // almost always
  return matchAt(pattern, std::vector<Node*>{anchor}, traced, near);
}

std::optional<Match> matchAt(const Pattern& pattern, const std::vector<Node*>& roots,
                             const TracedValues& traced, NearMiss& near) {
  Node* anchor = roots[pattern.anchor];
  Matcher matcher{traced, near, anchor, roots.size(), std::vector<Value*>(pattern.valueLimit)};
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Value* output = pattern.graph->outputs()[i];
    if (output->offset() >= roots[i]->outputs().size()) return std::nullopt;
    matcher.goals.push_back({output, roots[i]->outputs()[output->offset()], std::nullopt});
  }
  if (!matcher.solve(0)) return std::nullopt;

  Match match;
  std::set<Node*> nodes = matcher.nodes();
  for (auto* p : matcher.trail) match.bound[p] = matcher.slot(p);
  match.nodes.assign(nodes.begin(), nodes.end());
  if (!isOneBlock(nodes)) {
    if (!near.anchor || matcher.trail.size() > near.depth)
      near = {matcher.trail.size(), crossesBlocks(), anchor};
    return std::nullopt;
  }
  sortByPlace(match.nodes);
  match.anchor = anchor;
  bindDecided(pattern, *anchor->owningGraph(), match);
  return match;
}

void matchNearly(const Pattern& pattern, Node* anchor, const TracedValues& traced, NearMatch& best) {
  Value* output = pattern.graph->outputs()[0];
  if (anchor->kind() != output->node()->kind() || output->offset() >= anchor->outputs().size()) return;
  NearMiss unused;
  Matcher matcher{traced, unused, anchor, 1, std::vector<Value*>(pattern.valueLimit)};
  matcher.goals.push_back({output, anchor->outputs()[output->offset()], std::nullopt});
  for (auto* n : pattern.graph->nodes()) matcher.operators += tellsPlaces(n->output(0)) ? 1 : 0;
  matcher.stepsLeft = kMostStepsNearly;
  matcher.nearly = &best;
  if (matcher.solve(0) && !isOneBlock(matcher.nodes())) matcher.keep({{crossesBlocks(), anchor}});
}

}  // namespace kadvise::graph
