// group_norm on a GPU: the kernels there are, and the entry points.
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/group_norm/pixels.cuh"
#include "kernels/group_norm/rows.cuh"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

bool at16Bytes(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// By 16 bytes, wherever rows begin: the result is torch's and aligned, so rows of both begin alike where x is
// aligned, too.
bool isAligned(const GroupNormArgs& a) { return at16Bytes(a.x) && at16Bytes(a.result); }

int lanesOf(const GroupNormArgs& a) {
  const int lanes = 16 / bytesOf(a.dtype);
  return isAligned(a) && (!a.channelsLast || a.channels % lanes == 0) ? lanes : 1;
}

// Of the rows or slabs of a call.
struct Shares {
  std::int64_t rows, parts, moments;  // moments of a part
  std::int64_t adders;                // threads by which each block adds up the parts of its row
};

// False where there is no kernel.
bool sharesOf(const GroupNormArgs& a, Shares& shares) {
  if (!a.channelsLast) {
    const GroupNormRows p = groupNormRows(a, lanesOf(a));
    shares = {p.rows, p.parts.divisor, 1, p.threads};
    return p.parts.divisor <= INT32_MAX;
  }
  GroupNormPixels p;
  if (!makeGroupNormPixels(a, lanesOf(a), p)) return false;
  shares = {p.rows, p.parts.divisor, p.groups, 32};
  return p.parts.divisor <= INT32_MAX;
}

// Adding up the parts of a row is then a launch of its own.
bool isMergedAlone(const Shares& s) { return s.parts > s.adders; }

std::int64_t scratchBytes(const Shares& s) {
  if (s.parts == 1) return 0;
  const std::int64_t merged = isMergedAlone(s) ? 1 : 0;
  return s.rows * (s.parts + merged) * s.moments * static_cast<std::int64_t>(sizeof(Moments));
}

// Whether the blocks of a row can run as a cluster.
cudaError_t makesClusters(const Shares& s, bool& makes) {
  int device = 0, major = 0;
  if (const auto error = cudaGetDevice(&device)) return error;
  const auto error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  makes = major >= 9 && s.parts <= kGroupNormCluster && s.rows * s.parts <= INT32_MAX;
  return error;
}

template <class Plan>
using Kernel = void (*)(GroupNormArgs, Plan, GroupNormScratch, GroupNormStep);

template <class Plan>
cudaError_t launchClusters(Kernel<Plan> kernel, const Shares& shares, GroupNormArgs a, Plan plan,
                           GroupNormScratch scratch, std::int64_t sharedBytes, cudaStream_t stream) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(shares.parts), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shares.rows * shares.parts));
  config.blockDim = dim3(static_cast<unsigned>(plan.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(sharedBytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  GroupNormStep step = GroupNormStep::Cluster;
  void* pointers[] = {&a, &plan, &scratch, &step};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers);
}

// What the parts have together, behind what each has; `scratch` becomes that.
cudaError_t launchMerge(const Shares& shares, GroupNormScratch& scratch, cudaStream_t stream) {
  const std::int64_t blocks = shares.rows * shares.moments;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  Moments* const merged = scratch.moments + blocks * shares.parts;
  const auto error = launchKernel(groupNormMerge, blocks, kGroupNormMergeBlock, 0, stream,
                                  GroupNormScratch(scratch), merged, static_cast<int>(shares.moments));
  scratch = {merged, 1};
  return error;
}

template <class Plan>
cudaError_t launchParts(Kernel<Plan> kernel, const Shares& shares, const GroupNormArgs& a, const Plan& plan,
                        std::int64_t sharedBytes, cudaStream_t stream) {
  const auto blocks = std::min<std::int64_t>(shares.rows * shares.parts, INT32_MAX);
  GroupNormScratch scratch{static_cast<Moments*>(a.scratch), static_cast<std::int32_t>(shares.parts)};
  const auto launchStep = [&](GroupNormStep step) {
    return launchKernel(kernel, blocks, plan.threads, sharedBytes, stream, a, plan, scratch, step);
  };
  if (shares.parts == 1) return launchStep(GroupNormStep::Whole);
  if (a.scratch == nullptr) return cudaErrorInvalidValue;
  bool clusters = false;
  if (const auto error = makesClusters(shares, clusters)) return error;
  if (clusters) return launchClusters(kernel, shares, a, plan, scratch, sharedBytes, stream);
  if (const auto error = launchStep(GroupNormStep::Sums)) return error;
  if (isMergedAlone(shares)) {
    if (const auto error = launchMerge(shares, scratch, stream)) return error;
  }
  return launchStep(GroupNormStep::Result);
}

template <class T, int V, bool kEdges>
cudaError_t launchRows(const GroupNormArgs& a, cudaStream_t stream) {
  const GroupNormRows p = groupNormRows(a, V);
  if (p.byWarp) {
    const std::int64_t blocks = partsOf(p.rows, kGroupNormWarpRows);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(groupNormWarpRows<T, V, kEdges>, blocks, p.threads, 0, stream, a, p);
  }
  return launchParts<GroupNormRows>(groupNormBlockRows<T, V, kEdges>, {p.rows, p.parts.divisor, 1, p.threads},
                                    a, p, 0, stream);
}

template <class T, int V>
cudaError_t launchPixels(const GroupNormArgs& a, cudaStream_t stream) {
  GroupNormPixels p;
  if (!makeGroupNormPixels(a, V, p)) return cudaErrorInvalidConfiguration;
  const auto bytes = PixelsShared<V>::floats(p) * static_cast<std::int64_t>(sizeof(float));
  return launchParts<GroupNormPixels>(groupNormPixels<T, V>, {p.rows, p.parts.divisor, p.groups, 32}, a, p,
                                      bytes, stream);
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

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API std::int64_t kadvise_cuda_group_norm_scratch(
    const kadvise::GroupNormArgs* args) {
  kadvise::Shares shares{};
  if (!kadvise::sharesOf(*args, shares)) return -1;
  return kadvise::scratchBytes(shares);
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_group_norm(const kadvise::GroupNormArgs* args,
                                                                   void* stream) {
  return kadvise::sentenceOf(kadvise::launch(*args, static_cast<cudaStream_t>(stream)),
                             "kadvise::group_norm: starting its kernel");
}
