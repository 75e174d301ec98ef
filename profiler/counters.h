// Hardware counters of each kernel of a run, by CUPTI's Range Profiler. To be used in a process that has
// nothing to lose.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/cupti_words.h"
#include "profiler/tensor_metrics.h"

namespace kadvise {

// One kernel's counters: the hardware's name of a metric -> its value.
using CounterValues = std::map<std::string, double>;

struct CountedRun {
  std::vector<CounterValues> kernels;    // in the order in which they were launched
  std::vector<std::string> unsupported;  // metrics that this chip does not have
  int passes = 0;
  CuptiRefusal refused;
};

// run launches the same kernels at each call and ends with the device idle; it is called once for each pass.
// One set of metrics for one call of this function: a second set in one session of the profiler gives wrong
// numbers.
CountedRun countKernels(const std::function<void()>& run, std::size_t kernels,
                        const std::vector<std::string>& metrics);

// What the GPU in use can count. Where that cannot be asked every name passes: counting then says why not.
HasMetric metricsOfChip();

// Why counters cannot be had in this process; empty when they can.
CuptiRefusal countersRefusal();

}  // namespace kadvise
