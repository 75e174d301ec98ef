// The figures of a verdict on two modules that are equal: which is faster, how far that can be trusted, and
// what they take in memory and for their first calls.
#pragma once

#include <torch/script.h>

#include <cstdint>

#include "profiler/device.h"
#include "profiler/inputs.h"
#include "profiler/nvml.h"
#include "profiler/own_state.h"
#include "profiler/pulse.h"
#include "profiler/timing.h"

namespace kadvise {

// What the first runs took, before the two were timed.
struct FirstRuns {
  int runs = 0;
  double beforeMs = 0, afterMs = 0;
};

struct PairPlan {
  double budgetSeconds = 20;
  int candidates = 1;  // that the run tries: see missingOf
  std::uint64_t seed = 1;
  const Nvml* nvml = nullptr;  // none on a CPU
  FirstRuns first;
  Attributes state;            // that each call begins with
  double overtimeSeconds = 0;  // see TimingPlan
  bool isBrief = false;        // on the wall as short as an interval allows: what the GPU takes alone decides
};

TimingPlan timingPlan(const Device&, const PairPlan&);  // both must outlive it

// Both must have run once before. Fills outcome, speedup, timings (warm in wallUs; on a GPU also cold and
// hot, in busyUs since only the GPU counts there), peak memory and counters, and joins the reason. Counters
// of each side: warmUpRuns, warmUpSettled, compileMs. Of before, for the comparison: timedUnits,
// repeatedUnits, controlLow and controlHigh; on a GPU smClockMHz, powerW and temperatureC right after the
// last block, coldSpeedup and hotSpeedup. Of after on a GPU of the table: rooflineUs, which a run cannot be
// faster than, and implausible where it seemed to be.
void timePair(Verdict&, torch::jit::Module& before, torch::jit::Module& after, const Values& batch,
              const Device&, const PairPlan&, Pulse&);

}  // namespace kadvise
