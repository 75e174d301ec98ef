// Runs a graph node by node and writes down what its values were, as kadvise-measure does with a module.
#pragma once

#include "analyzer/graph/values.h"

namespace kadvise::fuzz {

// Throws what an operator throws. arguments: one for each input of the graph.
graph::TracedValues tracedRun(torch::jit::Graph&, const std::vector<c10::IValue>& arguments);

}  // namespace kadvise::fuzz
