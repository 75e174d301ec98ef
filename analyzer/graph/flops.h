// Formulas for the operators whose work is more than their elements.
#pragma once

#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// A multiply and an add are two. 0 where a shape that the formula needs was not seen.
double flopsOf(const torch::jit::Node*, OperatorCost, const TracedValues&);

}  // namespace kadvise::graph
