// How busy the GPU was between its first and its last record. Standard library only.
#pragma once

#include "analyzer/core/profile.h"
#include "profiler/activity_records.h"

namespace kadvise {

// A gap up to this long is the GPU's own, between launches that had been queued; in a longer one it waits for
// the host. On an H200 queued launches follow each other within 0.4 to 1.3 microseconds.
inline constexpr double kQueuedGapUs = 2;

// records: by start. The figures are of one of the calls.
GpuActivity gpuActivityOf(const std::vector<ActivityRecord>& records, int calls);

// Overlaps counted once; records by start.
double busyUsOf(const std::vector<ActivityRecord>& records);

}  // namespace kadvise
