// The least time that a GPU could have taken for what a run was seen to do. A figure below it is a fault of
// the measurement, whatever the interval says. Only what cannot be avoided counts, since to doubt a right
// figure would be a fault, too: the products of matrices that were called (no library takes fewer operations
// for one), and writing the results as far as they are larger than the L2 cache. Convolutions (which can be
// done with fewer) and reading (a part may do) do not.
#pragma once

#include <torch/script.h>

#include <functional>
#include <string>

#include "analyzer/core/hardware.h"
#include "profiler/device.h"

namespace kadvise {

struct LeastWork {
  double tensorSeconds = 0;  // of matrix products at the GPU's peak
  double writtenBytes = 0;   // of results in memory of their own
};

// Calls run once, which returns the results. inputs: what results may alias.
LeastWork leastWorkOf(const std::function<c10::IValue()>& run, const std::vector<c10::IValue>& inputs,
                      const Gpu&);

double leastUs(const LeastWork&, const Gpu&);

// "" or why a time of after cannot be.
std::string implausible(double us, const LeastWork&, const Gpu&);

}  // namespace kadvise
