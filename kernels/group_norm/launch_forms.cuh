// Every kernel there is for one dtype: included by a file for each dtype, so that they compile side by side.
#pragma once

#include "kernels/group_norm/pixels.cuh"
#include "kernels/group_norm/staged_rows.cuh"
#include "kernels/group_norm/streamed_rows.cuh"
#include "kernels/group_norm/warp_rows.cuh"
#include "kernels/group_norm/ways.cuh"

namespace kadvise {

template <class Division>
using PassKernel = void (*)(GroupNormArgs, Division, GroupNormScratch);

// Two launches: the moments of all parts, and the results.
template <class Division>
cudaError_t launchTwice(PassKernel<Division> moments, PassKernel<Division> results,
                        const GroupNormPlan<Division>& plan, std::int64_t sharedBytes, const GroupNormArgs& a,
                        cudaStream_t stream) {
  const Division& p = plan.p;
  const GroupNormShares shares = sharesOf(plan);
  const std::int64_t blocks = shares.rows * shares.parts;
  if (blocks > INT32_MAX || shares.parts > INT32_MAX) return cudaErrorInvalidConfiguration;
  if (a.scratch == nullptr) return cudaErrorInvalidValue;
  GroupNormScratch scratch{static_cast<Moments*>(a.scratch), static_cast<std::int32_t>(shares.parts)};
  if (const auto error =
          launchKernel(moments, blocks, p.threads, sharedBytes, stream, a, p, GroupNormScratch(scratch)))
    return error;
  if (!shares.isMergedAlone())
    return launchKernelEarly(results, blocks, p.threads, sharedBytes, stream, a, p, scratch);
  if (const auto error = launchGroupNormMerge(shares, scratch, stream)) return error;
  return launchKernel(results, blocks, p.threads, sharedBytes, stream, a, p, scratch);
}

template <class T, int V, bool kEdges>
cudaError_t launchGroupNormRows(const GroupNormArgs& a, cudaStream_t stream) {
  const GroupNormPlan<GroupNormRows> plan = rowsPlan(a, V);
  const GroupNormRows& p = plan.p;
  if (p.byWarp && plan.way == GroupNormWay::Whole) {
    const std::int64_t blocks = ceilDiv(p.rows, kGroupNormWarpRows);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(groupNormWarpRows<T, V, kEdges>, blocks, p.threads, 0, stream, a, p);
  }
  if (plan.way == GroupNormWay::TwoLaunches)
    return launchTwice(groupNormRowMoments<T, V, kEdges>, groupNormRowResults<T, V, kEdges>, plan, 0, a,
                       stream);
  return launchClusters(groupNormStagedRows<T, V, kEdges>, p.rows * p.parts.divisor, p.threads,
                        stagedBytes(a, p, V), static_cast<int>(p.parts.divisor), stream, a, p);
}

template <class T, int V>
cudaError_t launchGroupNormPixels(const GroupNormArgs& a, cudaStream_t stream) {
  GroupNormPlan<GroupNormPixels> plan;
  if (!makePixelsPlan(a, V, plan)) return cudaErrorInvalidConfiguration;
  const GroupNormPixels& p = plan.p;
  const std::int64_t shared = sharedBytesOf(p, V);
  if (plan.way == GroupNormWay::TwoLaunches)
    return launchTwice(groupNormPixelMoments<T, V>, groupNormPixelResults<T, V>, plan, shared, a, stream);
  return launchClusters(groupNormHeldPixels<T, V>, p.rows * p.parts.divisor, p.threads, shared,
                        static_cast<int>(p.parts.divisor), stream, a, p);
}

template <class T>
cudaError_t launchGroupNorm(const GroupNormArgs& a, cudaStream_t stream) {
  constexpr int V = kLanes<T>;
  if (a.channelsLast)
    return lanesOf(a) == V ? launchGroupNormPixels<T, V>(a, stream) : launchGroupNormPixels<T, 1>(a, stream);
  if (lanesOf(a) == 1) return launchGroupNormRows<T, 1, false>(a, stream);
  const bool whole = a.channels / a.groups * a.pixels % V == 0;
  return whole ? launchGroupNormRows<T, V, false>(a, stream) : launchGroupNormRows<T, V, true>(a, stream);
}

}  // namespace kadvise
