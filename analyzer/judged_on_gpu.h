// In CUDA graphs launches cost next to nothing. Where the module will run in them, what a candidate takes on
// the GPU alone decides, and not the wall, which at small regions shows the launches.
#pragma once

#include <optional>

#include "analyzer/core/readiness.h"
#include "analyzer/core/types.h"

namespace kadvise {

// Whether so much of forward can be captured that CUDA graphs are to be expected.
bool willRunInGraphs(const Readiness&);

// How many times as fast it is on the GPU alone, between cold and hot caches; nullopt where that was not
// timed.
std::optional<Interval> speedupOnGpu(const Verdict&);

// The verdict by the times with cold and with hot caches, and what the wall says among its reasons; as it was
// where there are none.
Verdict judgedOnGpu(Verdict);

}  // namespace kadvise
