// group_norm on a GPU: the entry points.
#include "kernels/group_norm/merge.cuh"
#include "kernels/group_norm/ways.cuh"
#include "kernels/kernels.h"

namespace kadvise {

// In a file for each.
template <class T>
cudaError_t launchGroupNorm(const GroupNormArgs&, cudaStream_t);
extern template cudaError_t launchGroupNorm<float>(const GroupNormArgs&, cudaStream_t);
extern template cudaError_t launchGroupNorm<__half>(const GroupNormArgs&, cudaStream_t);
extern template cudaError_t launchGroupNorm<__nv_bfloat16>(const GroupNormArgs&, cudaStream_t);

cudaError_t launchGroupNormMerge(const GroupNormShares& shares, GroupNormScratch& scratch,
                                 cudaStream_t stream) {
  const std::int64_t blocks = shares.rows * shares.groups;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  Moments* const merged = scratch.moments + blocks * shares.parts;
  const auto error = launchKernel(groupNormMerge, blocks, kGroupNormMergeBlock, 0, stream, scratch, merged);
  scratch = {merged, 1};
  return error;
}

namespace {

cudaError_t launch(const GroupNormArgs& a, cudaStream_t stream) {
  return withElementType(
      a.dtype, [&](auto type) { return launchGroupNorm<typename decltype(type)::type>(a, stream); });
}

// More blocks than a launch may have, or channels than an int counts, are left to torch: -1.
std::int64_t scratchBytes(const GroupNormArgs& a) {
  if (a.channels > INT32_MAX) return -1;
  const int lanes = lanesOf(a);
  const auto scratchOf = [](const auto& plan, std::int64_t rowsOfBlock) {
    const GroupNormShares shares = sharesOf(plan);
    const std::int64_t most = INT32_MAX * rowsOfBlock / std::max<std::int64_t>(shares.parts, 1);
    return shares.rows <= most ? shares.scratchBytes() : -1;
  };
  if (!a.channelsLast) {
    const GroupNormPlan<GroupNormRows> plan = rowsPlan(a, lanes);
    return scratchOf(plan, plan.p.byWarp && plan.way == GroupNormWay::Whole ? kGroupNormWarpRows : 1);
  }
  GroupNormPlan<GroupNormPixels> plan;
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
