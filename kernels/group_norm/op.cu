// group_norm on a GPU: the kernels there are, and the entry points.
#include "kernels/common/access.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/group_norm/pixels.cuh"
#include "kernels/group_norm/staged_rows.cuh"
#include "kernels/group_norm/streamed_rows.cuh"
#include "kernels/group_norm/warp_rows.cuh"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

// By 16 bytes, wherever rows begin: the result is torch's and aligned, so rows of both begin alike where x is
// aligned, too.
bool isAligned(const GroupNormArgs& a) { return at16Bytes(a.x) && at16Bytes(a.result); }

int lanesOf(const GroupNormArgs& a) {
  const int lanes = 16 / bytesOf(a.dtype);
  return isAligned(a) && (!a.channelsLast || a.channels % lanes == 0) ? lanes : 1;
}

// Whether so many blocks can run side by side on the current device.
bool runTogether(std::int64_t blocks) {
  if (blocks == 1) return true;
  if (blocks > kGroupNormWideCluster || !hasClusters()) return false;
  constexpr std::int64_t kShared = 128 << 10;  // more than any of them has
  return blocks <= kPortableCluster ||
         runsWideClusters(reinterpret_cast<const void*>(groupNormHeldPixels<float, 4>), kGroupNormWideCluster,
                          kGroupNormBlock, kShared);
}

// How the blocks of a row work together.
enum class Way { Whole, Cluster, TwoLaunches };

template <class Division>
struct Plan {
  Division p;
  Way way;
};

Plan<GroupNormRows> rowsPlan(const GroupNormArgs& a, int lanes) {
  const GroupNormRows held = groupNormRows(a, lanes);
  if (held.byWarp) return {held, Way::Whole};
  const bool fits = held.rows * held.parts.divisor <= INT32_MAX &&
                    a.channels / a.groups <= kGroupNormStagedChannels && runTogether(held.parts.divisor);
  if (fits) return {held, held.parts.divisor == 1 ? Way::Whole : Way::Cluster};
  return {groupNormStreamedRows(a, lanes), Way::TwoLaunches};
}

// False where there is no kernel.
bool makePixelsPlan(const GroupNormArgs& a, int lanes, Plan<GroupNormPixels>& plan) {
  GroupNormPixels& p = plan.p;
  DeviceLimits limits;
  if (readLimits(limits) == cudaSuccess && makeHeldPixels(a, lanes, p) &&
      sharedBytesOf(p, lanes) <= limits.sharedBytes && p.rows * p.parts.divisor <= INT32_MAX &&
      runTogether(p.parts.divisor)) {
    plan.way = p.parts.divisor == 1 ? Way::Whole : Way::Cluster;
    return true;
  }
  plan.way = Way::TwoLaunches;
  return makeStreamedPixels(a, lanes, p);
}

// The moments that the parts of all rows leave. Where a block would have to add up many of them, that is a
// launch of its own.
struct Shares {
  std::int64_t rows, parts, groups;  // groups of a row
  Way way;

  bool isMergedAlone() const { return way == Way::TwoLaunches && parts * groups > 8192; }
  std::int64_t scratchBytes() const {
    if (way != Way::TwoLaunches) return 0;
    return rows * (parts + (isMergedAlone() ? 1 : 0)) * groups * static_cast<std::int64_t>(sizeof(Moments));
  }
};
Shares sharesOf(const Plan<GroupNormRows>& plan) { return {plan.p.rows, plan.p.parts.divisor, 1, plan.way}; }
Shares sharesOf(const Plan<GroupNormPixels>& plan) {
  return {plan.p.rows, plan.p.parts.divisor, plan.p.groups, plan.way};
}

// What the parts have together, behind what each has; `scratch` becomes that.
cudaError_t launchMerge(const Shares& shares, GroupNormScratch& scratch, cudaStream_t stream) {
  const std::int64_t blocks = shares.rows * shares.groups;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  Moments* const merged = scratch.moments + blocks * shares.parts;
  const auto error = launchKernel(groupNormMerge, blocks, kGroupNormMergeBlock, 0, stream, scratch, merged);
  scratch = {merged, 1};
  return error;
}

template <class Division>
using PassKernel = void (*)(GroupNormArgs, Division, GroupNormScratch);

// Two launches: the moments of all parts, and the results.
template <class Division>
cudaError_t launchTwice(PassKernel<Division> moments, PassKernel<Division> results,
                        const Plan<Division>& plan, std::int64_t sharedBytes, const GroupNormArgs& a,
                        cudaStream_t stream) {
  const Division& p = plan.p;
  const Shares shares = sharesOf(plan);
  const std::int64_t blocks = shares.rows * shares.parts;
  if (blocks > INT32_MAX || shares.parts > INT32_MAX) return cudaErrorInvalidConfiguration;
  if (a.scratch == nullptr) return cudaErrorInvalidValue;
  GroupNormScratch scratch{static_cast<Moments*>(a.scratch), static_cast<std::int32_t>(shares.parts)};
  if (const auto error =
          launchKernel(moments, blocks, p.threads, sharedBytes, stream, a, p, GroupNormScratch(scratch)))
    return error;
  if (!shares.isMergedAlone())
    return launchKernelEarly(results, blocks, p.threads, sharedBytes, stream, a, p, scratch);
  if (const auto error = launchMerge(shares, scratch, stream)) return error;
  return launchKernel(results, blocks, p.threads, sharedBytes, stream, a, p, scratch);
}

template <class T, int V, bool kEdges>
cudaError_t launchRows(const GroupNormArgs& a, cudaStream_t stream) {
  const Plan<GroupNormRows> plan = rowsPlan(a, V);
  const GroupNormRows& p = plan.p;
  if (p.byWarp && plan.way == Way::Whole) {
    const std::int64_t blocks = ceilDiv(p.rows, kGroupNormWarpRows);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(groupNormWarpRows<T, V, kEdges>, blocks, p.threads, 0, stream, a, p);
  }
  if (plan.way == Way::TwoLaunches)
    return launchTwice(groupNormRowMoments<T, V, kEdges>, groupNormRowResults<T, V, kEdges>, plan, 0, a,
                       stream);
  return launchClusters(groupNormStagedRows<T, V, kEdges>, p.rows * p.parts.divisor, p.threads,
                        stagedBytes(a, p, V), static_cast<int>(p.parts.divisor), stream, a, p);
}

template <class T, int V>
cudaError_t launchPixels(const GroupNormArgs& a, cudaStream_t stream) {
  Plan<GroupNormPixels> plan;
  if (!makePixelsPlan(a, V, plan)) return cudaErrorInvalidConfiguration;
  const GroupNormPixels& p = plan.p;
  const std::int64_t shared = sharedBytesOf(p, V);
  if (plan.way == Way::TwoLaunches)
    return launchTwice(groupNormPixelMoments<T, V>, groupNormPixelResults<T, V>, plan, shared, a, stream);
  return launchClusters(groupNormHeldPixels<T, V>, p.rows * p.parts.divisor, p.threads, shared,
                        static_cast<int>(p.parts.divisor), stream, a, p);
}

cudaError_t launch(const GroupNormArgs& a, cudaStream_t stream) {
  return withElementType(a.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    constexpr int V = kLanes<T>;
    if (a.channelsLast)
      return lanesOf(a) == V ? launchPixels<T, V>(a, stream) : launchPixels<T, 1>(a, stream);
    if (lanesOf(a) == 1) return launchRows<T, 1, false>(a, stream);
    const bool whole = a.channels / a.groups * a.pixels % V == 0;
    return whole ? launchRows<T, V, false>(a, stream) : launchRows<T, V, true>(a, stream);
  });
}

// More blocks than a launch may have, or channels than an int counts, are left to torch: -1.
std::int64_t scratchBytes(const GroupNormArgs& a) {
  if (a.channels > INT32_MAX) return -1;
  const int lanes = lanesOf(a);
  const auto scratchOf = [](const auto& plan, std::int64_t rowsOfBlock) {
    const Shares shares = sharesOf(plan);
    const std::int64_t most = INT32_MAX * rowsOfBlock / std::max<std::int64_t>(shares.parts, 1);
    return shares.rows <= most ? shares.scratchBytes() : -1;
  };
  if (!a.channelsLast) {
    const Plan<GroupNormRows> plan = rowsPlan(a, lanes);
    return scratchOf(plan, plan.p.byWarp && plan.way == Way::Whole ? kGroupNormWarpRows : 1);
  }
  Plan<GroupNormPixels> plan;
  return makePixelsPlan(a, lanes, plan) ? scratchOf(plan, 1) : -1;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API std::int64_t kadvise_cuda_group_norm_scratch(
    const kadvise::GroupNormArgs* args) {
  return kadvise::scratchBytes(*args);
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_group_norm(const kadvise::GroupNormArgs* args,
                                                                   void* stream) {
  return kadvise::sentenceOf(kadvise::launch(*args, static_cast<cudaStream_t>(stream)),
                             "kadvise::group_norm: starting its kernel");
}
