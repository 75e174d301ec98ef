// What a call held of LibTorch's allocator, when, and for which operator.
#pragma once

#include <functional>

#include "analyzer/core/profile.h"
#include "profiler/device.h"
#include "profiler/operators.h"

namespace kadvise {

// Runs once and watches the allocator of the device. site: the operator that the host is in, as OperatorSites
// counts.
MemoryTimeline memoryTimelineOf(const Device&, OperatorSites& sites, const std::function<void()>& run);

// The pure part: allocations and releases in their order.
struct AllocatorEvent {
  double us = 0;
  const void* block = nullptr;
  double bytes = 0;  // below 0: released
  std::uint32_t site = 0;
};
struct HeldBlock {
  double bytes;
  std::uint32_t site;
};
struct Holding {
  MemoryTimeline timeline;        // without atPeak
  std::vector<HeldBlock> atPeak;  // the largest first
};
Holding holdingOf(const std::vector<AllocatorEvent>&);

}  // namespace kadvise
