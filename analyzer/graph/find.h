// Where a rule applies in a module, where it nearly does, and where it would not be safe.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/condition.h"
#include "analyzer/graph/match.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {

struct Site {
  const Group* group = nullptr;
  const Pattern* pattern = nullptr;
  Match match;
};

struct Search {
  std::vector<Site> sites;       // in execution order
  std::vector<Refusal> refused;  // matched, but not legal or not safe here
  std::string whyNothing;        // when there are neither: the nearest miss, or what is missing
  std::vector<NearPlace> near;   // where it nearly matched, the nearest first, when they are asked for
};

// nodes: what valueId() resolves to, for locations. mostNear: how many near places to look for. Never changes
// the graph.
Search findSites(const Rule&, torch::jit::Graph&, const Aliases&, const std::vector<NodeInfo>& nodes,
                 const TracedValues&, const Target&, std::size_t mostNear = 0);

}  // namespace kadvise::graph
