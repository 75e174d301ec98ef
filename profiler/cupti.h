// Kernels as the GPU ran them, from CUPTI's activity records. Never on while something is timed: records cost
// 3% of a forward, and 10% of a graph replay.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

struct KernelTrace {
  std::vector<KernelRecord> kernels;  // by start; copies and fills too, as "memcpy" and "memset"
  std::vector<std::uint64_t> site;    // of each kernel: what pushSite() was given, 0 for none
  double busyUs = 0;                  // of all kernels and copies, overlaps counted once
  std::size_t leftOut = 0;            // records beyond the limit, or dropped by CUPTI
  std::string refused;                // why there are no records; "" when there are
};

// "" when kernel records can be had in this process, else the reason.
std::string kernelRecordsRefused();

enum class Sites { Ignored, Recorded };

// Records one call of run, which must end with the device idle. At most 4096 kernels are kept.
KernelTrace recordKernels(const std::function<void()>& run, Sites sites = Sites::Ignored);

// Kernels launched by this thread between the two belong to the site; calls nest. Only while Sites::Recorded.
void pushSite(std::uint64_t id);
void popSite();

}  // namespace kadvise
