// Why one call must run plainly, as far as its inputs and the state of the calling thread tell.
#pragma once

#include "kernels/graph_runner/captured_calls.h"

namespace kadvise {

enum class Gradients { No, OfModule };  // whether a tensor of the module requires a gradient

// Null when a graph may serve the call; else a static sentence. Costs well under a microsecond.
const char* whyPlain(const Tensors& inputs, Gradients gradients);

}  // namespace kadvise
