// prefix_scan on a GPU: which of its kernels serves a call.
#include "kernels/common/access.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/prefix_scan/across.cuh"
#include "kernels/prefix_scan/along.cuh"
#include "kernels/prefix_scan/launch.h"

namespace kadvise {
namespace {

// Where each warp has a row: few, so that a row that ends soon makes room for the next.
constexpr int kWarpRowsOfBlock = 2;

template <class T, int V, ScanKind kKind, int kChunks, bool kPlain>
cudaError_t launchTiles(const PrefixScanArgs& a, int warps, cudaStream_t stream) {
  const std::int64_t rowsOfBlock = warps > 1 ? 1 : a.grid.count <= INT32_MAX ? kWarpRowsOfBlock : kAlongWarps;
  const std::int64_t blocks = (a.grid.count + rowsOfBlock - 1) / rowsOfBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  const auto kernel = a.mask != nullptr ? scanAlong<T, V, kKind, kChunks, true, kPlain>
                                        : scanAlong<T, V, kKind, kChunks, false, kPlain>;
  return launchKernel(kernel, blocks, static_cast<int>(32 * warps * rowsOfBlock), 0, stream, a, warps);
}

template <class T, int V, ScanKind kKind>
cudaError_t launchAlong(const PrefixScanArgs& a, cudaStream_t stream) {
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  const AlongPlan plan = alongPlan(a, V, limits.sms);
  if constexpr (mayBePlain(kKind, V)) {
    if (plan.chunks == kFewChunks) return launchTiles<T, V, kKind, kFewChunks, true>(a, plan.warps, stream);
    if (isPlain(a, V)) return launchTiles<T, V, kKind, kAlongChunks, true>(a, plan.warps, stream);
  }
  return launchTiles<T, V, kKind, kAlongChunks, false>(a, plan.warps, stream);
}

template <class T, int V, ScanKind kKind>
cudaError_t launchScan(const PrefixScanArgs& a, cudaStream_t stream) {
  if (a.steps == 0) return launchAlong<T, V, kKind>(a, stream);
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  AcrossPlan plan = acrossPlan<V>(a, limits.sms);
  if (plan.blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  if (plan.parts.divisor > 1) {
    if (a.scratch == nullptr) return cudaErrorInvalidValue;
    plan.totals = static_cast<float*>(a.scratch);
    if (const auto error =
            launchKernel(scanAcrossTotals<T, V, kKind>, plan.blocks, 32 * kAcrossWarps, 0, stream, a, plan))
      return error;
  }
  const std::int64_t running = std::min<std::int64_t>(plan.blocks, std::int64_t{kAcrossBlocks} * limits.sms);
  return launchKernel(scanAcross<T, V, kKind>, running, 32 * kAcrossWarps, 0, stream, a, plan);
}

// Whether chunks of 16 bytes serve. Backwards along a row they are counted from its end.
bool beginsAligned(const PrefixScanArgs& a) {
  const int lanes = 16 / bytesOf(a.dtype);
  const RowTensor tensors[] = {{a.x, a.xStride}, {a.result, a.resultStride}};
  if (a.steps == 0 && a.reverse && a.length % lanes != 0) return false;
  if (a.steps > 1 && (a.xStep % lanes != 0 || a.resultStep % lanes != 0)) return false;
  return rowsBeginAligned(a.grid, a.dtype, tensors);
}

template <class T, int V>
cudaError_t launchKind(const PrefixScanArgs& a, cudaStream_t stream) {
  switch (a.kind) {
    case ScanKind::Sum:
      return launchScan<T, V, ScanKind::Sum>(a, stream);
    case ScanKind::Product:
      return launchScan<T, V, ScanKind::Product>(a, stream);
    case ScanKind::LogSumExp:
      return launchScan<T, V, ScanKind::LogSumExp>(a, stream);
  }
  return cudaErrorInvalidValue;
}

std::int64_t scratchBytes(const PrefixScanArgs& a) {
  DeviceLimits limits;
  if (a.steps == 0 || readLimits(limits) != cudaSuccess) return 0;  // the launch says what is wrong
  if (!beginsAligned(a)) return acrossScratchBytes<1>(acrossPlan<1>(a, limits.sms));
  return a.dtype == Dtype::Float ? acrossScratchBytes<4>(acrossPlan<4>(a, limits.sms))
                                 : acrossScratchBytes<8>(acrossPlan<8>(a, limits.sms));
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API std::int64_t kadvise_cuda_prefix_scan_scratch(
    const kadvise::PrefixScanArgs* args) {
  return kadvise::scratchBytes(*args);
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_prefix_scan(const kadvise::PrefixScanArgs* args,
                                                                    void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto enqueue = kadvise::beginsAligned(*args) ? kadvise::launchKind<T, kadvise::kLanes<T>>
                                                       : kadvise::launchKind<T, 1>;
    return enqueue(*args, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::prefix_scan: starting its kernel");
}
