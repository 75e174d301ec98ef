// A change of a whole region that stands on the results of other candidates: those are applied first, then
// the region is changed as it has become.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/stand_ins.h"

namespace kadvise::graph {

// What a pass may touch of a graph: nodes of the region, by id, and what replaced them.
struct PassScope {
  torch::jit::Graph& graph;
  const std::unordered_set<int> ids;
  const Shapes shapes;
  const Aliases& aliases;
};

struct RegionPass {
  std::vector<torch::jit::Node*> nodes;  // of the module, in execution order: the region
  std::string title;
  int level = 1;
  Exactness exactness = Exactness::Reassociates;
  std::vector<std::string> rulesBefore;  // whose candidates inside the region are part of the change
  // Returns what it did, a line each; none where nothing is left to do.
  std::vector<std::string> (*change)(const PassScope&) = nullptr;
  // The same with generated kernels, where their level is allowed; null: there is no such form.
  std::vector<std::string> (*changeByKernels)(const PassScope&) = nullptr;
};

// Of a later round: generated kernels of an earlier one are part of the region, and may make worth what was
// not.
bool standsOnMade(const RegionPass&);

// The nodes, and every pure node between two of them, parted into regions of which none reads another's
// results by way of pure nodes. In the order of the graph.
std::vector<std::vector<torch::jit::Node*>> regionsAround(const std::vector<torch::jit::Node*>&);

}  // namespace kadvise::graph
