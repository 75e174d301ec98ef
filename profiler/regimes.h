// What a comparison takes on the GPU alone, beside the warm wall time that decides its verdict:
//  cold: each run after the L2 cache has been overwritten, as in a model that has moved on in between;
//  hot: runs back to back, all that fits in the caches being there.
//
// The GPU waits at a gate until the host has started everything, so that nothing of the host is in these
// times. Without the gate a flush would make a module of many small launches look faster, since the host runs
// ahead while it lasts.
#pragma once

#include <string>
#include <vector>

#include "profiler/device.h"
#include "profiler/pulse.h"
#include "profiler/warm_up.h"

namespace kadvise {

struct RegimeTimes {
  std::vector<double> beforeUs, afterUs;  // one of each side in turn
};

struct Regimes {
  RegimeTimes cold, hot;
  std::string lost;  // why there are none, or ""
};

// On CUDA only. wallUs: about what a run takes. At least three of each, whatever the budget.
Regimes measureRegimes(const TimedRun& before, const TimedRun& after, double beforeUs, double afterUs,
                       const Device&, double budgetSeconds, Pulse&);

}  // namespace kadvise
