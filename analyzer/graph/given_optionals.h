// Optional tensors that the given call has: the module is settled on their being there.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Puts a check at the start that raises where such an input is None, and takes it for a tensor behind it.
// Returns what was settled, "mask: given".
std::vector<std::string> settleGivenOptionals(torch::jit::Graph&, const TracedValues&);

}  // namespace kadvise::graph
