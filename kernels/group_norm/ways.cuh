// How a group norm's blocks work together on a GPU: what the entry points and the kernels of each dtype ask.
#pragma once

#include "kernels/common/access.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/group_norm/launches.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// By 16 bytes, wherever rows begin: the result is torch's and aligned, so rows of both begin alike where x is
// aligned, too.
inline bool isAligned(const GroupNormArgs& a) { return at16Bytes(a.x) && at16Bytes(a.result); }

inline int lanesOf(const GroupNormArgs& a) {
  const int lanes = 16 / bytesOf(a.dtype);
  return isAligned(a) && (!a.channelsLast || a.channels % lanes == 0) ? lanes : 1;
}

// Whether so many blocks can run side by side on the current device.
bool groupNormRunsTogether(std::int64_t blocks);

// How the blocks of a row work together.
enum class GroupNormWay { Whole, Cluster, TwoLaunches };

template <class Division>
struct GroupNormPlan {
  Division p;
  GroupNormWay way;
};

inline GroupNormPlan<GroupNormRows> rowsPlan(const GroupNormArgs& a, int lanes) {
  const GroupNormRows held = groupNormRows(a, lanes);
  if (held.byWarp) return {held, GroupNormWay::Whole};
  const bool fits = held.rows * held.parts.divisor <= INT32_MAX &&
                    a.channels / a.groups <= kGroupNormStagedChannels &&
                    groupNormRunsTogether(held.parts.divisor);
  if (fits) return {held, held.parts.divisor == 1 ? GroupNormWay::Whole : GroupNormWay::Cluster};
  return {groupNormStreamedRows(a, lanes), GroupNormWay::TwoLaunches};
}

// False where there is no kernel.
inline bool makePixelsPlan(const GroupNormArgs& a, int lanes, GroupNormPlan<GroupNormPixels>& plan) {
  GroupNormPixels& p = plan.p;
  DeviceLimits limits;
  if (readLimits(limits) == cudaSuccess && makeHeldPixels(a, lanes, p) &&
      sharedBytesOf(p, lanes) <= limits.sharedBytes && p.rows * p.parts.divisor <= INT32_MAX &&
      groupNormRunsTogether(p.parts.divisor)) {
    plan.way = p.parts.divisor == 1 ? GroupNormWay::Whole : GroupNormWay::Cluster;
    return true;
  }
  plan.way = GroupNormWay::TwoLaunches;
  return makeStreamedPixels(a, lanes, p);
}

// The moments that the parts of all rows leave. Where a block would have to add up many of them, that is a
// launch of its own.
struct GroupNormShares {
  std::int64_t rows, parts, groups;  // groups of a row
  GroupNormWay way;

  bool isMergedAlone() const { return way == GroupNormWay::TwoLaunches && parts * groups > 8192; }
  std::int64_t scratchBytes() const {
    if (way != GroupNormWay::TwoLaunches) return 0;
    return rows * (parts + (isMergedAlone() ? 1 : 0)) * groups * static_cast<std::int64_t>(sizeof(Moments));
  }
};
inline GroupNormShares sharesOf(const GroupNormPlan<GroupNormRows>& plan) {
  return {plan.p.rows, plan.p.parts.divisor, 1, plan.way};
}
inline GroupNormShares sharesOf(const GroupNormPlan<GroupNormPixels>& plan) {
  return {plan.p.rows, plan.p.parts.divisor, plan.p.groups, plan.way};
}

// What the parts have together, behind what each has; `scratch` becomes that.
cudaError_t launchGroupNormMerge(const GroupNormShares& shares, GroupNormScratch& scratch,
                                 cudaStream_t stream);

}  // namespace kadvise
