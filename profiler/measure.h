// Times, memory and kernels of one module or of two.
#pragma once

#include <torch/script.h>

#include "profiler/own_state.h"
#include "profiler/session.h"
#include "profiler/timing.h"

namespace kadvise {

// Calls the module on the batch, again and again, under inference mode. Its tensors are not copied between
// runs; lists and dictionaries are new ones for each, which is timed: a call may put more into those that it
// gets. state, if any, is what its own attributes hold at the beginning of each: putting it there is timed.
TimedRun timedRun(torch::jit::Module&, const Values& batch, const Device&, const Attributes& state = {});

// Kernel records of one forward into the measurement; answers why there are none, "" when all went well.
std::string addKernels(Measurement&, torch::jit::Module&, const Values& batch, const Device&);

}  // namespace kadvise
