// einsum of several operands as what ATen makes of it, one pair after the other.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// einsum of three and more operands  ->  einsums of two, from left to right or by its path, and where nothing
// is summed a product of views. Strides are the same, and results but for their rounding where a dimension
// that is summed is broadcast. Left alone: "...", diagonals, letters of one operand that the result lacks.
void einsumInSteps(const Step&, torch::jit::Node*);

}  // namespace kadvise::graph
