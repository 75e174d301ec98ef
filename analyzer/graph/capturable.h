// Which nodes of forward a CUDA graph cannot hold, and why.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

struct Blocker {
  const torch::jit::Node* node = nullptr;
  std::string rule;    // the page that speaks of it; "" where none does
  std::string reason;  // a sentence without its full stop
};

// Of forward and of its branches and loops, in the order of the graph, each node once. pages: they have the
// words; what they do not know of is held against checks of our own, so that no page has to be there.
std::vector<Blocker> blockersOf(const Analysis&, const std::vector<const RulePage*>& pages);

// Does something beside its result that a replay would not do again. Raising an exception is nothing of the
// kind: a call that is replayed has the shapes of one that did not.
bool hasEffects(const torch::jit::Node*);

}  // namespace kadvise::graph
