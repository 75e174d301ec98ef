// A replacement as it is put in one place.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/graph/rule.h"

namespace kadvise::graph {

// Of branches on what is constant in this place ("if silu") the taken arms alone are left: changes of layout
// look at operators one after the other, and not into branches. arguments: one for each input.
std::shared_ptr<torch::jit::Graph> replacementHere(const Replacement&,
                                                   const std::vector<torch::jit::Value*>& arguments);

}  // namespace kadvise::graph
