// Why one call must run plainly, as far as its inputs and the state of the calling thread tell.
#pragma once

#include "kernels/graph_runner/captured_calls.h"

namespace kadvise {

// What of a module bears on gradients.
struct Gradients {
  bool required = false;  // by a tensor of the module
  bool asked = false;     // the module asks tensors whether they require one, whatever the mode
};

// Null when a graph may serve the call; else a static sentence. Costs well under a microsecond.
const char* whyPlain(const Tensors& inputs, Gradients gradients);

}  // namespace kadvise
