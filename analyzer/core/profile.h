// Where the time of one call of a module goes: what kadvise-measure's verb `profile` answers and a report
// shows. Times are microseconds of one call, shares are 0 to 1.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

// A figure that this machine, or this run, could not give.
struct Absent {
  std::string figure, reason, remedy;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Absent, figure, reason, remedy)

// All launches of one kernel at one size; on a CPU there are none.
struct KernelRow {
  std::string name, op;  // op, where: of the launches that took the longest
  Location where;
  int launches = 0;
  double us = 0, share = 0, longestUs = 0;
  std::array<int, 3> grid{}, block{};
  int registers = 0, cluster = 0;
  double sharedBytes = 0, bytes = 0;  // bytes: of copies and fills
  double occupancy = 0;               // at best, from registers, shared memory and block size; 0: not known
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelRow, name, op, where, launches, us, share, longestUs,
                                                grid, block, registers, cluster, sharedBytes, bytes,
                                                occupancy)

// An operator, a module path or a line of the user's. On a CPU the time is self time of operators.
struct TimeRow {
  std::string name;
  Location where;  // of lines
  int calls = 0;
  double us = 0, share = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TimeRow, name, where, calls, us, share)

// What the GPU did, from its own records, with attribution off.
struct GpuActivity {
  int calls = 0;         // that were recorded, one after the other; the figures are of one of them
  double spanUs = 0;     // from the first start to the last end
  double busyUs = 0;     // at least one kernel or copy ran; overlaps counted once
  double waitingUs = 0;  // in gaps longer than a back-to-back launch: the GPU waits for the host
  double gapUs = 0;      // in the short gaps between launches that had been queued
  double longestGapUs = 0;
  double launchBoundShare = 0;  // waitingUs of spanUs
  double concurrency = 0;       // the time of all kernels over busyUs
  double kernels = 0, copies = 0, fills = 0;
  double copiedBytes = 0;
  double recordingOverhead = 0;  // of the recorded run over the one without records: 0.03 is 3% longer
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GpuActivity, calls, spanUs, busyUs, waitingUs, gapUs,
                                                longestGapUs, launchBoundShare, concurrency, kernels, copies,
                                                fills, copiedBytes, recordingOverhead)

// What the pass that maps kernels to operators cost and reached. It is never timed.
struct Attribution {
  double toOperator = 0;  // share of the kernel time whose operator is known
  double toModule = 0;    // … and whose module path is known too ("" is the module itself)
  double toLine = 0;      // … and whose line of the user's is known too
  double overhead = 0;    // of this pass over the run without records
  std::string durations;  // "recorded": from the pass without attribution; "attributed": from this one
  double synchronisations = 0, synchronisationUs = 0, profilerUs = 0;  // as CUPTI's records have them
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Attribution, toOperator, toModule, toLine, overhead,
                                                durations, synchronisations, synchronisationUs, profilerUs)

// One way of running the module.
struct ProfileView {
  std::string mode;   // as-loaded, frozen, graph-replay
  std::string basis;  // gpu-kernels, cpu-operators
  Timing timing;      // wall time of a call with CUPTI off, in blocks
  Interval wallUs;    // its median and 95% interval
  std::optional<GpuActivity> gpu;
  std::optional<Attribution> attribution;
  std::vector<KernelRow> kernels;
  std::vector<TimeRow> operators, modules, lines;
  std::vector<KernelRecord> launches;       // of one call, the first 4096
  double leftOut = 0;                       // launches beyond those
  double captureMs = 0, instantiateMs = 0;  // of graph-replay
};
void to_json(Json&, const ProfileView&);
void from_json(const Json&, ProfileView&);

struct MemoryPoint {
  double us = 0, bytes = 0;  // since the call began; held beyond what was held before it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MemoryPoint, us, bytes)

struct HeldAllocation {
  double bytes = 0;
  std::string op;
  Location where;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HeldAllocation, bytes, op, where)

// Of one call, by what LibTorch's allocator handed out and took back.
struct MemoryTimeline {
  double peakBytes = 0, peakUs = 0, allocatedBytes = 0;
  int allocations = 0;
  std::vector<MemoryPoint> points;     // at most 200, the highest of each interval
  std::vector<HeldAllocation> atPeak;  // the largest that were alive then
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MemoryTimeline, peakBytes, peakUs, allocatedBytes,
                                                allocations, points, atPeak)

// What the hardware counted in one kernel, and what that says of it.
struct CountedKernel {
  std::string name, op;
  Location where;
  double us = 0;  // from kernel records
  double dramReadBytes = 0, dramWriteBytes = 0;
  double dramBytesPerSecond = 0, dramShareOfPeak = 0;
  double tensorShareOfPeak = 0, tensorInstructions = 0, tensorFlop = 0, fp32Flop = 0, flopPerSecond = 0;
  double occupancy = 0;                   // achieved, of the warps that an SM can hold
  std::string bound;                      // memory, compute, latency, launch
  std::string why;                        // the number that decides, in words
  std::map<std::string, double> metrics;  // as the hardware names them
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CountedKernel, name, op, where, us, dramReadBytes,
                                                dramWriteBytes, dramBytesPerSecond, dramShareOfPeak,
                                                tensorShareOfPeak, tensorInstructions, tensorFlop, fp32Flop,
                                                flopPerSecond, occupancy, bound, why, metrics)

struct Profile {
  double firstCallMs = 0;
  std::vector<double> warmUpMs;  // calls after the first, until they settled
  double compileMs = 0;          // what the calls until then took beyond a settled one
  std::vector<ProfileView> views;
  std::optional<MemoryTimeline> memory;
  std::vector<CountedKernel> counted;
  std::string countedHow;  // the mode of the counters: figures of different modes do not compare
  std::vector<Absent> absent;
  std::vector<std::string> notes;
};
void to_json(Json&, const Profile&);
void from_json(const Json&, Profile&);

}  // namespace kadvise
