// Runs until nothing changes from one run to the next any more. Knows nothing of modules or devices.
#pragma once

#include <cstdint>
#include <functional>

namespace kadvise {

// Microseconds since some moment; tests put their own in.
using ClockUs = std::function<double()>;
double steadyUs();

struct TimedRun {
  std::function<void()> once;         // starts one run; need not wait for the device
  std::function<void()> synchronize;  // waits until all that was started has ended
};

// What can be asked about the machine while it warms up; empty functions where it cannot.
struct Signs {
  std::function<std::int64_t()> segments;  // that the caching allocator has taken from the device
  std::function<double()> clockMHz;        // of the GPU's multiprocessors
};

struct WarmUp {
  int runs = 0;
  bool settled = false;  // or the budget ended first
  double runUs = 0;      // of the last runs
  double compileMs =
      0;  // what the runs until then took beyond as many settled ones: compiling, tuning, allocating
};

// Settled when three looks in a row brought nothing new: no run clearly faster than all before (the
// TorchScript executor specialises and compiles in its first runs), no new segment, no rising clock. The
// first looks are at single runs, later ones at some milliseconds of them. At least two runs, whatever the
// budget.
WarmUp warmUp(const TimedRun&, double budgetSeconds, const Signs& = {}, const ClockUs& nowUs = steadyUs);

// The settled time of a run in microseconds.
inline double settle(const TimedRun& run, double budgetSeconds) { return warmUp(run, budgetSeconds).runUs; }

}  // namespace kadvise
