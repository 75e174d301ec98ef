// Sizes that a trace computes with tensors: Int(floor_divide(NumToTensor(size(x, 3)), 2)) is size(x, 3) // 2.
#pragma once

#include "analyzer/graph/step.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

void sizesAsNumbers(torch::jit::Graph&);

// An int or float in place of a tensor of no dimensions that is made of sizes alone, as q.shape[-1] ** 0.5 is
// in a trace; nullptr for any other. The float is what double precision makes of the sizes: rounded to single
// precision, as by who takes it in arithmetic of that, it is the tensor's own but for a reciprocal root,
// which may be off in the last place.
torch::jit::Value* numberOfSizes(const Step&, torch::jit::Value*);

}  // namespace kadvise::graph
