// einsum of several operands as what ATen makes of it, one pair after the other.
#pragma once

#include "analyzer/graph/stand_ins.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// einsum of three and more operands  ->  einsums of two, from left to right or by its path, and where nothing
// is summed a product of views. So other rules see them. The result may lie in memory in another order.
//
// Left alone: operands that are not floating, or of which the run saw one broadcast along a letter (a sum of
// whole numbers over that letter alone would have another dtype); results whose strides somebody asks for;
// "...", diagonals, letters of one operand that the result lacks.
void einsumsInSteps(torch::jit::Graph&, const Shapes&);

}  // namespace kadvise::graph
