// selective_scan on a GPU. A few lanes share a channel: each holds some of its states in registers and walks
// along time, so that nothing of size channels x times x states is ever in memory. B and C, which all
// channels of a batch share, wait in shared memory for a few times ahead. Where there are too few channels to
// fill the device, the warps of a block share the times: each first finds the state at the end of its part
// from 0, then begins again from what the parts before it leave behind, which is a product with exp(A * sum
// of d).
#include "kernels/common/access.h"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/selective_scan/launch.h"
#include "kernels/selective_scan/schedule.h"
#include "kernels/selective_scan/walk.cuh"

namespace kadvise {
namespace {

// Threads of a block at most: lanes with many states are for many channels, which no warps share.
template <int kPerLane>
constexpr int kMostThreads = 32 * (kPerLane == 4 ? kMostSplits : kScanWarps);

template <class T, int kPerLane>
__global__ void __launch_bounds__(kMostThreads<kPerLane>)
    selectiveScan(const __grid_constant__ SelectiveScanArgs a, const __grid_constant__ ScanGrid grid) {
  extern __shared__ __align__(
      16) float shared[];  // for each warp: tiles of B and C; then, with splits, what each leaves
  const int warp = static_cast<int>(threadIdx.x / 32), warps = grid.schedule.warps;
  const int splits = grid.schedule.splits;
  const std::int64_t groups = grid.groups.divisor * a.batches;
  const std::int64_t group = splits > 1 ? blockIdx.x : static_cast<std::int64_t>(blockIdx.x) * warps + warp;
  if (group >= groups) return;  // whole warps, and no barrier without splits
  Scan<T, kPerLane> scan(a, grid, group, shared + warp * (2 * kScanTile));
  if (splits == 1) return scan.template walk<true>(0, a.length);

  const std::int64_t from = warp * grid.schedule.span, to = from + grid.schedule.span;
  const std::int64_t begin = from < a.length ? from : a.length, end = to < a.length ? to : a.length;
  float* left = shared + warps * (2 * kScanTile);  // [split][state, then the sum][lane]
  constexpr int kLeft = (kPerLane + 1) * 32;
  if (warp + 1 < splits) {
    scan.template walk<false>(begin, end);
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) left[warp * kLeft + i * 32 + scan.lane.index] = scan.h[i];
    left[warp * kLeft + kPerLane * 32 + scan.lane.index] = scan.sumOfSteps;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) scan.h[i] = 0.0f;
  for (int before = 0; before < warp; ++before) {
    const float sum = left[before * kLeft + kPerLane * 32 + scan.lane.index];
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      scan.h[i] =
          fmaf(powerOf2(sum * scan.decay[i]), scan.h[i], left[before * kLeft + i * 32 + scan.lane.index]);
    }
  }
  scan.template walk<true>(begin, end);
}

// Whether chunks of 16 bytes serve.
bool beginsAligned(const ScanTensor& t, Dtype dtype, const SelectiveScanArgs& a) {
  const int lanes = 16 / bytesOf(dtype);
  return t.time == 1 && at16Bytes(t.data) && (t.batch % lanes == 0 || a.batches == 1) &&
         (t.row % lanes == 0 || a.channels == 1);
}

SelectiveScanArgs withChunks(SelectiveScanArgs a) {
  for (ScanTensor* t : {&a.x, &a.dt, &a.z}) t->byChunks = beginsAligned(*t, a.dtype, a);
  a.result.byChunks = beginsAligned(a.result, a.resultDtype, a);
  return a;
}

template <class T, int kPerLane>
cudaError_t launchScan(const SelectiveScanArgs& a, const ScanSchedule& schedule, cudaStream_t stream) {
  const std::int64_t perWarp = 32 / schedule.lanes, groups = (a.channels + perWarp - 1) / perWarp;
  const std::int64_t perBlock = schedule.splits > 1 ? 1 : schedule.warps;
  const std::int64_t blocks = (groups * a.batches + perBlock - 1) / perBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  const std::int64_t left = schedule.splits > 1 ? schedule.splits * (kPerLane + 1) * 32 : 0;
  const std::int64_t sharedBytes =
      (schedule.warps * 2 * kScanTile + left) * static_cast<std::int64_t>(sizeof(float));
  return launchKernel(selectiveScan<T, kPerLane>, blocks, 32 * schedule.warps, sharedBytes, stream, a,
                      ScanGrid{schedule, Divider(groups)});
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_selective_scan(const kadvise::SelectiveScanArgs* args,
                                                                       void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    kadvise::DeviceLimits limits;
    if (const auto e = kadvise::readLimits(limits)) return e;
    const auto a = kadvise::withChunks(*args);
    const auto schedule = kadvise::chooseScanSchedule(a.batches, a.channels, a.length, a.states, limits.sms);
    const auto enqueue = schedule.perLane == 16 ? kadvise::launchScan<T, 16> : kadvise::launchScan<T, 4>;
    return enqueue(a, schedule, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::selective_scan: starting its kernel");
}
