// A module against an output that was saved: what Python gave, say.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <functional>

#include "profiler/equivalence.h"

namespace kadvise {

// On the one batch that the output is of. Lists and tuples are the same thing here, as Python's and
// TorchScript's differ; aliases and strides are not compared. Neither side is the original: each may be as
// far from the module's own float64 (reference, or empty) as the other is, within the bounds of `compare`.
Equivalence judgeExpected(torch::jit::Module&, const c10::IValue& expected, const Values& batch,
                          std::function<torch::jit::Module()> reference, const Device&, std::uint64_t seed);

}  // namespace kadvise
