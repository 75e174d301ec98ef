// Which of two runs is faster: warm-up until the executor has settled, then ABBA blocks with a control.
// Knows nothing of modules or devices.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "profiler/pulse.h"
#include "profiler/statistics.h"

namespace kadvise {

// Microseconds since some moment; tests put their own in.
using ClockUs = std::function<double()>;
double steadyUs();

struct TimedRun {
  std::function<void()> once;         // starts one run; need not wait for the device
  std::function<void()> synchronize;  // waits until all that was started has ended
};

// Runs until the time of a run stops falling (the TorchScript executor specialises in its first runs): at
// least fewestRuns, at most 12, and no longer than budgetSeconds after the fewest. Answers the last run's
// time in microseconds.
double settle(const TimedRun&, double budgetSeconds, int fewestRuns = 4, const ClockUs& nowUs = steadyUs);

struct TimingPlan {
  double budgetSeconds = 20;
  double blockUs = 5000;  // a block of runs between two clock readings lasts at least this
  int mostUnits = 40;
  std::uint64_t seed = 1;
  ClockUs nowUs = steadyUs;
};

struct Comparison {
  Outcome outcome = Outcome::Ambiguous;
  Interval speedup, control;  // control: before against itself, in the same campaign
  Timing before, after;
  std::string reason;
};

// Both must have run a few times before. At least one unit is measured whatever the budget.
Comparison compareTimes(const TimedRun& before, const TimedRun& after, const TimingPlan&, Pulse&);

}  // namespace kadvise
