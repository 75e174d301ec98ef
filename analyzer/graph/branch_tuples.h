// Tuples that branches return, as their elements.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// a, b = (y, w) if c else (z, None)  ->  two results of the branch, made a tuple behind it: what nobody reads
// of a tuple may then fall away (the weights of nn.MultiheadAttention).
void takeBranchTuplesApart(torch::jit::Graph&);

}  // namespace kadvise::graph
