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

// Rows that a warp holds in so many tiles are its own; longer ones are a block's.
constexpr std::int64_t kTilesOfWarp = 2;

template <class T, int V, ScanKind kKind>
cudaError_t launchScan(const PrefixScanArgs& a, cudaStream_t stream) {
  if (a.steps > 0) {
    const std::int64_t perRow = (a.length + V - 1) / V, items = perRow * a.grid.count;
    const std::int64_t blocks = (items + 31) / 32;
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(scanAcross<T, V, kKind>, blocks, 32 * kAcrossWarps, 0, stream, a,
                        AcrossGrid{items, Divider(perRow)});
  }
  const bool byWarps = a.length <= kTilesOfWarp * kAlongChunks * 32 * V;
  const std::int64_t rowsOfBlock = byWarps ? kAlongBlock / 32 : 1;
  const std::int64_t blocks = (a.grid.count + rowsOfBlock - 1) / rowsOfBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  return launchKernel(scanAlong<T, V, kKind>, blocks, kAlongBlock, 0, stream, a,
                      byWarps ? 1 : kAlongBlock / 32);
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

}  // namespace
}  // namespace kadvise

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
