// A replacement put in one place of a module whose nodes have their ids, the user's or a copy of it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/region_pass.h"
#include "analyzer/graph/rule.h"
#include "analyzer/graph/stand_ins.h"

namespace kadvise::graph {

// roots: the ids of the nodes that make the pattern's outputs, see matchAt(). "" when it was applied, else
// why not. made: learns what stands for which value.
std::string applyAt(torch::jit::Module&, const Pattern&, const Replacement&, const std::vector<int>& roots,
                    const TracedValues&, StandIns& made);

// ids: of the region's nodes. Returns what was done, a line each; none where nothing was left to do.
std::vector<std::string> applyPass(torch::jit::Module&, const RegionPass&, const std::vector<int>& ids,
                                   const TracedValues&, const StandIns& made);

}  // namespace kadvise::graph
