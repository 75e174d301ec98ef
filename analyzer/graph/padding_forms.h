// How modules spell padding, as constant_pad_nd, and without what pads nothing.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// F.pad without a mode is constant_pad_nd, with zeros where no value is given.
void constantPad(const Step&, torch::jit::Node*);

// Pads of nothing are a copy, of which a convolution alone, where nobody writes, has no use: `same` padding
// in front of a kernel of one pixel.
void padOfNothing(const Step&, torch::jit::Node*);

}  // namespace kadvise::graph
