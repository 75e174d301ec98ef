// Elements of lists by what they are: sizes of a tensor, or one of its pieces.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// a, b, c = x.shape  ->  size(x, 0), size(x, 1), size(x, 2)
// a, b = x.shape[2:]  ->  size(x, 2), size(x, 3)
// a, b = chunk(x, 2)  ->  chunk(x, 2)[0], chunk(x, 2)[1], and so of broadcast_tensors, which F.mse_loss and
// its kin begin with: what is an operator's result has a shape that a run tells
void unpackByIndex(const Step&, torch::jit::Node* unpack);

// x.shape[1]  ->  size(x, 1)
// unbind(x, d)[i]  ->  select(x, d, i)
void elementOfList(const Step&, torch::jit::Node* getitem);

}  // namespace kadvise::graph
