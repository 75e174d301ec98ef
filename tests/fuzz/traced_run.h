// Runs a graph node by node and writes down what its values were, as kadvise-measure does with a module.
#pragma once

#include "analyzer/graph/values.h"

namespace kadvise::fuzz {

struct Trace {
  graph::TracedValues values;
  bool huge = false;  // some element's square overflows, and it is no number that masks are filled with
};

// Throws what an operator throws. arguments: one for each input of the graph.
Trace tracedRun(torch::jit::Graph&, const std::vector<c10::IValue>& arguments);

}  // namespace kadvise::fuzz
