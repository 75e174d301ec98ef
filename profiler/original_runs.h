// What the judge of outputs may ask of an original that can be run again.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <functional>

#include "profiler/device.h"
#include "profiler/float64_reference.h"
#include "profiler/output_judge.h"

namespace kadvise {

// The references must outlive the answer. stateOf: what the module's attributes hold when the case begins.
OutputJudge::Original originalRuns(torch::jit::Module& original, Float64Reference&, const Device&,
                                   std::uint64_t seed, std::function<const Attributes&(const Case&)> stateOf);

}  // namespace kadvise
