// Launches of one call as the GPU's records have them: the same several times over, in one order.
#pragma once

#include "analyzer/core/profile.h"
#include "profiler/chrome_trace.h"
#include "profiler/cupti.h"
#include "profiler/device.h"
#include "profiler/occupancy.h"
#include "profiler/operators.h"
#include "profiler/timing.h"

namespace kadvise {

// Several calls in a row with kernel records on and nothing else: the last block's records, the median time
// of a call.
struct RecordedCalls {
  RecordedRun run;
  int calls = 1;
  double callUs = 0;
};

RecordedCalls recordCalls(const TimedRun&, double callUs, Pulse&);

// us: the mean over all recorded calls.
struct Launch {
  const ActivityRecords* records;
  std::size_t index;  // in records
  double us;
  std::uint32_t site;
  const ActivityRecord& record() const { return records->all()[index]; }
};

// What one call launched, each with its mean time over all calls; none when the calls differ in what they
// launch.
std::vector<Launch> launchesOfCall(const ActivityRecords&, int calls);

// Of the first call alone.
std::vector<Launch> launchesOfFirstCall(const ActivityRecords&, int calls);

// The k-th of one is a launch of the same kernel as the k-th of the other.
bool launchTheSame(const std::vector<Launch>&, const std::vector<Launch>&);

// Tables and launches of the view.
void describe(ProfileView&, const std::vector<Launch>&, const OperatorSites&, const SmLimits&);

// The operators on the host, the first 50 000 of them.
TraceTrack operatorTrack(const OperatorSites&);

// The same and the launches on the GPU's streams. originNs: CUPTI's clock when the sites
// began to be counted.
std::vector<TraceTrack> tracksOf(const std::vector<Launch>&, const OperatorSites&, std::uint64_t originNs);

SmLimits limitsOf(const Device&);
double usOf(const ActivityRecord&);

}  // namespace kadvise
