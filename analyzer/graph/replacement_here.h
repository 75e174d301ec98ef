// A replacement as it is put in one place.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/graph/rule.h"

namespace kadvise::graph {

// Of branches on what is known in this place ("if silu", "if bias is not None") the taken arms alone are
// left: changes of layout look at operators one after the other, and not into branches, and weights are
// folded where nothing but weights decides. arguments: one for each input.
std::shared_ptr<torch::jit::Graph> replacementHere(const Replacement&,
                                                   const std::vector<torch::jit::Value*>& arguments);

}  // namespace kadvise::graph
