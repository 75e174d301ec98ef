// A module may fork, and then two processes would answer the front. The copy must not: it ends when it comes
// back from the module. One that the module starts a program in never comes back.
#pragma once

#include <torch/script.h>

#include "profiler/values.h"

namespace kadvise {

// Once, at the start of the program: from now on a copy knows that it is one, and the conversation's
// descriptors are closed in it.
void watchForForks();

// Ends the process when it is a copy, without the destructors that would undo the original's use of the GPU.
void endIfForked();

// One forward under inference mode, which must be set by the caller for as long as the outputs live.
c10::IValue forward(torch::jit::Module&, const Values& inputs);

}  // namespace kadvise
