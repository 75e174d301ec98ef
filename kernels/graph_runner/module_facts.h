// What in a method forbids to replay a recording of it, whatever the inputs: a graph repeats the kernels of
// one call, so whatever else the call did would happen once, or with the values of that one time.
#pragma once

#include <torch/script.h>

#include <string>

namespace kadvise {

// A sentence's end, such as "it draws random numbers (aten::dropout at model.py:12)"; empty when a capture
// may be tried. What is not known to be harmless counts as a reason.
std::string whyNeverCaptured(const torch::jit::Module& module, const torch::jit::Method& method);

// Whether kernels are generated for it, which takes a while when they are first needed.
bool runsRowPrograms(const torch::jit::Method& method);

// Whether it asks a tensor if it requires a gradient, as scripted attention layers do.
bool asksForGradients(const torch::jit::Method& method);

}  // namespace kadvise
