// Regions of a graph that one generated kernel can compute: element-wise operators, broadcasts, gathers and
// reductions over one iteration space.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/row_space.h"

namespace kadvise::graph {

struct RowRegion {
  std::vector<const RowNode*> nodes;  // in execution order
  RowSpace space;
  std::vector<torch::jit::Value*> outputs;  // what others read, the last first
  double bytesBefore = 0, bytesAfter = 0;
  double kernelsBefore = 0;
};

struct RowSearch {
  std::vector<std::shared_ptr<RowNode>> nodes;                       // regions point to these
  std::vector<RowRegion> regions;                                    // in the order of the graph
  std::unordered_map<const torch::jit::Node*, std::string> leftOut;  // a word of kLeftOut
};

// The readings that a value of the region is computed of, by their numbers; without those behind a reduction
// where that is asked for.
enum class Behind { Everything, NoReduction };
std::set<std::size_t> readingsBehind(const RowRegion&, const torch::jit::Value*, Behind);

// Every region that saves memory traffic or a launch, as large as it can be.
RowSearch findRowRegions(torch::jit::Graph&, const TracedValues&, const Aliases&);

}  // namespace kadvise::graph
