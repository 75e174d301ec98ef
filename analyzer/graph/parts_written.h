// Tensors of numbers that are filled part by part, as a mask of regions is, without a write in place.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// mask = zeros(n, n); mask[:k] = 1  ->  mask = slice_scatter(zeros(n, n), fill(zeros(n, n)[:k], 1), …), where
// the tensor, all that is written, and where, is decided by sizes and constants, and nobody sees the tensor
// before its last write. What is computed of it can then be kept as one table; a write in place could not.
void partsAsNewTensors(torch::jit::Graph&);

}  // namespace kadvise::graph
