// Sizes that a trace computes with tensors: Int(floor_divide(NumToTensor(size(x, 3)), 2)) is size(x, 3) // 2.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

void sizesAsNumbers(torch::jit::Graph&);

}  // namespace kadvise::graph
