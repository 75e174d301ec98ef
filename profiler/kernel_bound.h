// What bounds a kernel, from what the hardware counted. Standard library and core only.
#pragma once

#include "analyzer/core/profile.h"
#include "profiler/counters.h"

namespace kadvise {

// What else has to be known to judge.
struct KernelSetting {
  double us = 0;  // duration, from kernel records
  double launchEveryUs =
      0;              // the host's interval between launches in the run; 0: the GPU never waits for the host
  double blocks = 0;  // of the launch
  double sms = 0;     // of the device
};

// Names of metrics that judging reads; in sets that are counted one after the other.
const std::vector<std::vector<std::string>>& countedMetrics();

// Fills the figures, bound and why.
void judgeKernel(CountedKernel&, const CounterValues&, const KernelSetting&);

}  // namespace kadvise
