// Convolutions whose padding is a word.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// conv2d(x, w, b, stride, "same") with the numbers that the word stands for, as every rule reads them:
// "valid" is no padding, "same" what the kernel's size says, with a column more padded behind where that is
// odd. Left alone: weights that are computed, strides with "same", which LibTorch refuses. In place.
void paddingsAsNumbers(torch::jit::Graph&, const torch::jit::Module&);

}  // namespace kadvise::graph
