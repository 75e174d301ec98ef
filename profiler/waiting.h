// How long the threads of this process were ready to run and did not, since others had the processor. Calls
// whose threads wait for each other stall then for whole slices of the scheduler: all of them, so that no
// block of a timing looks slower than the next.
#pragma once

#include <string>

#include "profiler/warm_up.h"

namespace kadvise {

// All threads that live now together, in microseconds since each began.
double waitedUs();

// Of the time since it was made.
class WaitingWatch {
 public:
  // Without a clock of waiting nothing is ever busy.
  explicit WaitingWatch(ClockUs nowUs = steadyUs, ClockUs waited = waitedUs);
  bool isBusy() const;
  // "its threads waited over a quarter of the time for a processor"
  static std::string words();

 private:
  ClockUs nowUs_, waitedUs_;
  double startUs_ = 0, startWaitedUs_ = 0;
};

}  // namespace kadvise
