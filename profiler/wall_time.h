// How long one call takes by the clock on the wall, alone: not a comparison.
#pragma once

#include "profiler/timing.h"

namespace kadvise {

// The calls until the time of one stopped falling.
struct FirstCalls {
  double firstCallMs = 0;
  std::vector<double> laterMs;
  double settledUs = 0;
  double compileMs() const;  // what they took beyond a settled one
};
FirstCalls firstCalls(const TimedRun&, double budgetSeconds);

// Blocks of calls, each as long as the clock needs; the time of a call in each block, with its median and
// interval.
struct WallTime {
  Timing timing;
  Interval us;
  int callsPerBlock = 1;
};
WallTime wallTimeOf(const TimedRun&, double callUs, double blockUs, double budgetSeconds, Pulse&);

}  // namespace kadvise
