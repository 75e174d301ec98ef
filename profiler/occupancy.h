// How many warps of a kernel fit on a multiprocessor at once, from its launch alone. Standard library only.
#pragma once

#include "profiler/activity_records.h"

namespace kadvise {

// Of one multiprocessor; 0 where the device did not say.
struct SmLimits {
  int count = 0, threads = 0, blocks = 0, registers = 0, warpSize = 32;
  int sharedBytes = 0, sharedBytesReservedPerBlock = 0;
};

// 0 to 1 of the threads that fit; 0 when the limits are not known.
double occupancyAtBest(const LaunchShape&, const SmLimits&);

}  // namespace kadvise
