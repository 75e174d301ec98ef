// Nodes of a place that its rewrite leaves in the module.
#pragma once

#include <set>

#include "analyzer/graph/match.h"

namespace kadvise::graph {

// A view of what comes into the region costs nothing, nor does a list of sizes: where others read it too, it
// stays for them. So does what one generated kernel makes: a rule that takes it nevertheless has it computed
// again.
std::set<const torch::jit::Node*> staysForOthers(const Match&,
                                                 const std::set<const torch::jit::Node*>& inside,
                                                 const std::set<const torch::jit::Value*>& results);

}  // namespace kadvise::graph
