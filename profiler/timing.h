// Which of two runs is faster: warm-up until nothing changes, then units of mirrored blocks with a control.
// Knows nothing of modules or devices.
//
// Three decisions keep noise from becoming a claim, and the simulated machines in
// tests/profiler/timing_rule_test.cpp (drift, heavy tails, periodic work, steps of the clock) show what they
// are worth:
//  - Blocks of before, after and the control (before once more) stand in one unit in random, mirrored order,
//  A C B B C A,
//    so that no side goes first and a linear drift cancels. Blocks are compared within a unit, units are
//    resampled.
//  - FASTER needs the whole interval beyond the larger of kLeastGain and what the control shows; a control
//  that would
//    itself be called faster or slower vetoes.
//  - How long to measure is decided by the width of the intervals alone, never by where they lie: a campaign
//  that ended
//    as soon as its result looked good would make good results of noise.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "profiler/disturbance.h"
#include "profiler/pulse.h"
#include "profiler/statistics.h"
#include "profiler/warm_up.h"

namespace kadvise {

struct TimingPlan {
  double budgetSeconds = 20;
  double overtimeSeconds = 0;      // beyond it, as long as units are too few to judge by
  double blockUs = 5000;           // a block of runs between two clock readings lasts about this
  double targetHalfWidth = 0.005;  // of both intervals: measured no longer than until then
  int mostUnits = 120;
  int candidates = 1;  // that the run tries: see missingOf
  std::uint64_t seed = 1;
  Signs signs;                            // for the warm-up
  std::function<ClockReading()> reading;  // after each block; empty: nothing to read
  ClockUs nowUs = steadyUs;
  ClockUs waitedUs;  // for a processor, by all threads of the process; empty: not known
};

struct Comparison {
  Outcome outcome = Outcome::Ambiguous;
  Interval speedup, control;  // control: before against itself, in the same campaign
  WarmUp beforeWarmUp, afterWarmUp;
  Timing before, after;
  int units = 0, repeated = 0;  // repeated: measured again since the GPU's clock had moved
  std::string reason;
};

// Both must have run once before. At least one unit is measured whatever the budget.
Comparison compareTimes(const TimedRun& before, const TimedRun& after, const TimingPlan&, Pulse&);

}  // namespace kadvise
