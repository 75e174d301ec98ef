// What bounds a kernel, from what the hardware counted. Standard library and core only.
#pragma once

#include "analyzer/core/profile.h"
#include "profiler/counters.h"
#include "profiler/tensor_metrics.h"

namespace kadvise {

// What else has to be known to judge.
struct KernelSetting {
  double us = 0;  // duration, from kernel records
  double launchEveryUs =
      0;              // the host's interval between launches in the run; 0: the GPU never waits for the host
  double blocks = 0;  // of the launch
  double sms = 0;     // of the device
};

// Names of metrics that judging reads, of several for one figure those that the chip has; in sets that are
// counted one after the other.
std::vector<std::vector<std::string>> countedMetrics(const HasMetric&);

// Fills the figures, bound and why.
void judgeKernel(CountedKernel&, const CounterValues&, const KernelSetting&);

}  // namespace kadvise
