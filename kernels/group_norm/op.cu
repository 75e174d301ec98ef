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

// Whether the blocks of a row can run as a cluster.
bool hasClusters() {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return false;
  return major >= 9;
}

// How the blocks of a row work together, for a plan that holds its parts.
enum class Way { Whole, Cluster, TwoLaunches };

template <class Plan>
Way wayOf(const Plan& p) {
  if (p.parts.divisor == 1) return Way::Whole;
  const bool fits = p.parts.divisor <= kGroupNormCluster && p.rows * p.parts.divisor <= INT32_MAX;
  return fits && hasClusters() ? Way::Cluster : Way::TwoLaunches;
}

struct RowsPlan {
  GroupNormRows p;
  Way way;
};
RowsPlan rowsPlan(const GroupNormArgs& a, int lanes) {
  const GroupNormRows held = groupNormRows(a, lanes);
  const Way way = wayOf(held);
  return {way == Way::TwoLaunches ? groupNormStreamedRows(a, lanes) : held, way};
}

struct PixelsPlan {
  GroupNormPixels p;
  Way way;
};
bool makePixelsPlan(const GroupNormArgs& a, int lanes, PixelsPlan& plan) {
  if (!makeGroupNormPixels(a, lanes, false, plan.p)) return false;
  plan.way = wayOf(plan.p);
  return plan.way != Way::TwoLaunches || makeGroupNormPixels(a, lanes, true, plan.p);
}

// The moments that the parts of all rows leave. Where a block would have to add up many of them, that is a
// launch of its own.
struct Shares {
  std::int64_t rows, parts, groups;  // groups of a row
  Way way;

  bool isMergedAlone() const { return way == Way::TwoLaunches && parts * groups > 4 * kGroupNormBlock; }
  std::int64_t scratchBytes() const {
    if (way == Way::Whole) return 0;
    return rows * (parts + (isMergedAlone() ? 1 : 0)) * groups * static_cast<std::int64_t>(sizeof(Moments));
  }
};
Shares sharesOf(const RowsPlan& plan) { return {plan.p.rows, plan.p.parts.divisor, 1, plan.way}; }
Shares sharesOf(const PixelsPlan& plan) {
  return {plan.p.rows, plan.p.parts.divisor, plan.p.groups, plan.way};
}

template <class Plan>
cudaError_t launchClusters(void (*kernel)(GroupNormArgs, Plan, GroupNormScratch, GroupNormStep),
                           GroupNormArgs a, Plan plan, GroupNormScratch scratch, std::int64_t sharedBytes,
                           cudaStream_t stream) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(plan.parts.divisor), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(plan.rows * plan.parts.divisor));
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
  const std::int64_t blocks = shares.rows * shares.groups;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  Moments* const merged = scratch.moments + blocks * shares.parts;
  const auto error = launchKernel(groupNormMerge, blocks, kGroupNormMergeBlock, 0, stream,
                                  GroupNormScratch(scratch), merged, static_cast<int>(shares.groups));
  scratch = {merged, 1};
  return error;
}

template <class Plan>
struct Kernels {
  void (*held)(GroupNormArgs, Plan, GroupNormScratch, GroupNormStep);
  void (*moments)(GroupNormArgs, Plan, GroupNormScratch);  // of two launches
  void (*results)(GroupNormArgs, Plan, GroupNormScratch);
};

template <class Plan>
cudaError_t launchParts(const Kernels<Plan>& kernels, const Shares& shares, const GroupNormArgs& a,
                        const Plan& p, std::int64_t sharedBytes, cudaStream_t stream) {
  const std::int64_t blocks = shares.rows * shares.parts;
  if (blocks > INT32_MAX || shares.parts > INT32_MAX) return cudaErrorInvalidConfiguration;
  if (shares.way != Way::Whole && a.scratch == nullptr) return cudaErrorInvalidValue;
  GroupNormScratch scratch{static_cast<Moments*>(a.scratch), static_cast<std::int32_t>(shares.parts)};
  if (shares.way == Way::Whole)
    return launchKernel(kernels.held, blocks, p.threads, sharedBytes, stream, a, p, scratch,
                        GroupNormStep::Whole);
  if (shares.way == Way::Cluster) return launchClusters(kernels.held, a, p, scratch, sharedBytes, stream);
  if (const auto error = launchKernel(kernels.moments, blocks, p.threads, sharedBytes, stream, a, p, scratch))
    return error;
  if (shares.isMergedAlone()) {
    if (const auto error = launchMerge(shares, scratch, stream)) return error;
  }
  return launchKernel(kernels.results, blocks, p.threads, sharedBytes, stream, a, p, scratch);
}

template <class T, int V, bool kEdges>
cudaError_t launchRows(const GroupNormArgs& a, cudaStream_t stream) {
  const RowsPlan plan = rowsPlan(a, V);
  if (plan.p.byWarp) {
    const std::int64_t blocks = partsOf(plan.p.rows, kGroupNormWarpRows);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(groupNormWarpRows<T, V, kEdges>, blocks, plan.p.threads, 0, stream, a, plan.p);
  }
  const Kernels<GroupNormRows> kernels{groupNormBlockRows<T, V, kEdges>, groupNormRowMoments<T, V, kEdges>,
                                       groupNormRowResults<T, V, kEdges>};
  return launchParts(kernels, sharesOf(plan), a, plan.p, 0, stream);
}

template <class T, int V>
cudaError_t launchPixels(const GroupNormArgs& a, cudaStream_t stream) {
  PixelsPlan plan;
  if (!makePixelsPlan(a, V, plan)) return cudaErrorInvalidConfiguration;
  const auto bytes = PixelsShared<V>::floats(plan.p) * static_cast<std::int64_t>(sizeof(float));
  const Kernels<GroupNormPixels> kernels{groupNormPixels<T, V>, groupNormPixelMoments<T, V>,
                                         groupNormPixelResults<T, V>};
  return launchParts(kernels, sharesOf(plan), a, plan.p, bytes, stream);
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

// -1 where there is no kernel.
std::int64_t scratchBytes(const GroupNormArgs& a) {
  if (!a.channelsLast) return sharesOf(rowsPlan(a, lanesOf(a))).scratchBytes();
  PixelsPlan plan;
  return makePixelsPlan(a, lanesOf(a), plan) ? sharesOf(plan).scratchBytes() : -1;
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
