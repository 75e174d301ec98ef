#include "profiler/busy_time.h"

#include <algorithm>

namespace kadvise {
namespace {

double usOf(std::uint64_t ns) { return static_cast<double>(ns) / 1000; }

void addGap(GpuActivity& a, double us) {
  (us > kQueuedGapUs ? a.waitingUs : a.gapUs) += us;
  a.longestGapUs = std::max(a.longestGapUs, us);
}

void count(GpuActivity& a, const ActivityRecord& r) {
  if (r.kind == Activity::Kernel) ++a.kernels;
  if (r.kind == Activity::Fill) ++a.fills;
  if (r.kind != Activity::Copy) return;
  ++a.copies;
  a.copiedBytes += static_cast<double>(r.bytes);
}

}  // namespace

GpuActivity gpuActivityOf(const std::vector<ActivityRecord>& records, int calls) {
  GpuActivity a;
  a.calls = calls;
  std::uint64_t first = 0, coveredTo = 0;
  double summedUs = 0;
  bool any = false;
  for (const ActivityRecord& r : records) {
    if (!occupiesGpu(r)) continue;
    if (!any) first = coveredTo = r.startNs;
    any = true;
    count(a, r);
    summedUs += usOf(r.endNs - r.startNs);
    if (r.startNs > coveredTo) addGap(a, usOf(r.startNs - coveredTo));
    if (r.endNs > coveredTo) a.busyUs += usOf(r.endNs - std::max(r.startNs, coveredTo));
    coveredTo = std::max(coveredTo, r.endNs);
  }
  if (!any || calls < 1) return a;
  a.spanUs = usOf(coveredTo - first);
  a.concurrency = a.busyUs > 0 ? summedUs / a.busyUs : 0;
  a.launchBoundShare = a.spanUs > 0 ? a.waitingUs / a.spanUs : 0;
  for (double* figure :
       {&a.spanUs, &a.busyUs, &a.waitingUs, &a.gapUs, &a.kernels, &a.copies, &a.fills, &a.copiedBytes})
    *figure /= calls;
  return a;
}

double busyUsOf(const std::vector<ActivityRecord>& records) { return gpuActivityOf(records, 1).busyUs; }

}  // namespace kadvise
