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
};

// False where there is no kernel.
bool sharesOf(const GroupNormArgs& a, Shares& shares) {
  if (!a.channelsLast) {
    const GroupNormRows p = groupNormRows(a, lanesOf(a));
    shares = {p.rows, p.parts.divisor, 1};
    return p.parts.divisor <= INT32_MAX;
  }
  GroupNormPixels p;
  if (!makeGroupNormPixels(a, lanesOf(a), p)) return false;
  shares = {p.rows, p.parts.divisor, p.groups};
  return p.parts.divisor <= INT32_MAX;
}

std::int64_t momentBytes(const Shares& s) {
  return s.rows * s.parts * s.moments * static_cast<std::int64_t>(sizeof(Moments));
}
std::int64_t arrivedBytes(const Shares& s) {
  return s.rows * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

template <class Plan>
using Kernel = void (*)(GroupNormArgs, Plan, GroupNormScratch, GroupNormStep);

template <class Plan>
cudaError_t launchCooperative(Kernel<Plan> kernel, std::int64_t blocks, int threads, std::int64_t sharedBytes,
                              cudaStream_t stream, GroupNormArgs a, Plan plan, GroupNormScratch scratch) {
  GroupNormStep step = GroupNormStep::Cooperative;
  void* pointers[] = {&a, &plan, &scratch, &step};
  return cudaLaunchCooperativeKernel(
      reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
      dim3(static_cast<unsigned>(threads)), pointers, static_cast<std::size_t>(sharedBytes), stream);
}

// Blocks that can be resident at once.
template <class Plan>
cudaError_t residentBlocks(Kernel<Plan> kernel, int threads, std::int64_t sharedBytes, std::int64_t& blocks) {
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  int ofOne = 0;
  const auto error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &ofOne, reinterpret_cast<const void*>(kernel), threads, static_cast<std::size_t>(sharedBytes));
  blocks = static_cast<std::int64_t>(ofOne) * limits.sms;
  return error;
}

template <class Plan>
cudaError_t launchParts(Kernel<Plan> kernel, const Shares& shares, const GroupNormArgs& a, const Plan& plan,
                        std::int64_t sharedBytes, cudaStream_t stream) {
  const std::int64_t tasks = shares.rows * shares.parts, all = std::min<std::int64_t>(tasks, INT32_MAX);
  if (shares.parts == 1) {
    return launchKernel(kernel, all, plan.threads, sharedBytes, stream, a, plan, GroupNormScratch{},
                        GroupNormStep::Whole);
  }
  if (a.scratch == nullptr) return cudaErrorInvalidValue;
  auto* const moments = static_cast<Moments*>(a.scratch);
  const GroupNormScratch scratch{
      moments, reinterpret_cast<std::uint32_t*>(static_cast<char*>(a.scratch) + momentBytes(shares))};
  std::int64_t resident = 0;
  if (const auto error = residentBlocks(kernel, plan.threads, sharedBytes, resident)) return error;
  if (shares.parts <= resident) {
    const auto bytes = static_cast<std::size_t>(arrivedBytes(shares));
    if (const auto error = cudaMemsetAsync(scratch.arrived, 0, bytes, stream)) return error;
    return launchCooperative(kernel, std::min(tasks, resident), plan.threads, sharedBytes, stream, a, plan,
                             scratch);
  }
  for (const auto step : {GroupNormStep::Sums, GroupNormStep::Result}) {
    if (const auto error =
            launchKernel(kernel, all, plan.threads, sharedBytes, stream, a, plan, scratch, step)) {
      return error;
    }
  }
  return cudaSuccess;
}

template <class T, int V, bool kEdges>
cudaError_t launchRows(const GroupNormArgs& a, cudaStream_t stream) {
  const GroupNormRows p = groupNormRows(a, V);
  if (p.byWarp) {
    const std::int64_t blocks = partsOf(p.rows, kGroupNormWarpRows);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(groupNormWarpRows<T, V, kEdges>, blocks, p.threads, 0, stream, a, p);
  }
  return launchParts<GroupNormRows>(groupNormBlockRows<T, V, kEdges>, {p.rows, p.parts.divisor, 1}, a, p, 0,
                                    stream);
}

template <class T, int V>
cudaError_t launchPixels(const GroupNormArgs& a, cudaStream_t stream) {
  GroupNormPixels p;
  if (!makeGroupNormPixels(a, V, p)) return cudaErrorInvalidConfiguration;
  const auto bytes = PixelsShared<V>::floats(p) * static_cast<std::int64_t>(sizeof(float));
  return launchParts<GroupNormPixels>(groupNormPixels<T, V>, {p.rows, p.parts.divisor, p.groups}, a, p, bytes,
                                      stream);
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
  return shares.parts == 1 ? 0 : kadvise::momentBytes(shares) + kadvise::arrivedBytes(shares);
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_group_norm(const kadvise::GroupNormArgs* args,
                                                                   void* stream) {
  return kadvise::sentenceOf(kadvise::launch(*args, static_cast<cudaStream_t>(stream)),
                             "kadvise::group_norm: starting its kernel");
}
