// Kernels as the GPU ran them, from CUPTI's activity records. Never on while something is timed: records cost
// 3% of a forward, and 10% of a graph replay.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/core/types.h"
#include "profiler/activity_records.h"
#include "profiler/cupti_words.h"

namespace kadvise {

// Why kernel records cannot be had in this process; empty when they can.
CuptiRefusal kernelRecordsRefusal();
std::string kernelRecordsRefused();  // the same in one sentence, "" when they can

// Recorded: pushSite() is heeded, and calls, synchronisations and memory are recorded too. That slows the
// host by half.
enum class Sites { Ignored, Recorded };

struct RecordedRun {
  ActivityRecords records;
  CuptiRefusal refused;
};

// Records one call of run, which must end with the device idle.
RecordedRun recordRun(const std::function<void()>& run, Sites = Sites::Ignored);

// Now, by the clock of the records.
std::uint64_t recordClockNs();

// Kernels launched by this thread between the two belong to the site; calls nest. Only while Sites::Recorded.
void pushSite(std::uint64_t id);
void popSite();

// A record in the words of a report; the first of all records begins at originNs.
KernelRecord kernelRecordOf(const ActivityRecords&, const ActivityRecord&, std::uint64_t originNs);

}  // namespace kadvise
