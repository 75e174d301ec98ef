// A replacement put in one place of a module whose nodes have their ids, the user's or a copy of it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/region_pass.h"
#include "analyzer/graph/rule.h"
#include "analyzer/graph/stand_ins.h"

namespace kadvise::graph {

// Gone: a root is not there.
enum class SiteStatus { Applied, Gone, Refused };

struct SiteResult {
  SiteStatus status = SiteStatus::Applied;
  std::string whyNot;                       // "" when it was applied
  std::vector<torch::jit::Node*> inserted;  // in order
};

// roots: the ids of the nodes that make the pattern's outputs, see matchAt(). made: learns what stands for
// which value.
SiteResult applyAt(torch::jit::Module&, const Pattern&, const Replacement&, const std::vector<int>& roots,
                   const TracedValues&, StandIns& made);

// nullptr where there is none.
torch::jit::Node* nodeWithId(torch::jit::Graph&, int id);

// ids: of the region's nodes. Returns what was done, a line each; none where nothing was left to do.
std::vector<std::string> applyPass(torch::jit::Module&, const RegionPass&, const std::vector<int>& ids,
                                   const TracedValues&, const StandIns& made);

}  // namespace kadvise::graph
