// What the CUDA-graph runners that a module owns say of themselves.
#pragma once

#include <torch/script.h>

#include <string>

#include "analyzer/core/types.h"

namespace kadvise {

// Adds graphPoolBytes, graphCaptures, graphReplays, graphPlainCalls and graphCaptureMs of all runners
// together to the counters; nothing for a module without any. Returns why calls ran plainly, the most
// frequent reason first; "" where none did, or no runner says.
std::string addRunnerState(Measurement&, const torch::jit::Module&);

bool ownsRunner(const torch::jit::Module&);

// Drops what the runners have captured, so that what they do next does not depend on the shapes that they saw
// before.
void forgetCaptures(const torch::jit::Module&);

}  // namespace kadvise
