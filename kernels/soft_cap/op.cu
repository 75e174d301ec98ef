// soft_cap on a GPU: a thread takes chunks of 16 bytes wherever rows allow, and else elements.
#include "kernels/common/access.h"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/kernels.h"
#include "kernels/soft_cap/launch.h"

namespace kadvise {
namespace {

constexpr int kBlock = 128;

// Chunks that a thread has in flight: 16-bit elements take longer to compute than to move, and more of them
// hide it.
template <class T, int V>
constexpr int kChunks = V == 1           ? 4
                        : sizeof(T) == 4 ? 1
                                         : 2;

template <class T, int V>
__global__ void __launch_bounds__(kBlock) softCap(const __grid_constant__ SoftCapArgs a, std::int64_t chunks,
                                                  const __grid_constant__ Divider perRow) {
  constexpr int kCount = kChunks<T, V>;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kCount) + threadIdx.x;
  Chunk<T, V> x[kCount] = {};
  T* result[kCount];
  std::int64_t column[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    const std::int64_t chunk = first + k * kBlock;
    if (chunk >= chunks) continue;
    const std::int64_t row = perRow.quotient(chunk);
    column[k] = (chunk - row * perRow.divisor) * V;
    const RowIndex at = rowIndex(a.grid, row);
    result[k] = static_cast<T*>(a.result) + rowOffset(at, a.resultStride);
    x[k] = loadColumns<(V > 1), T, V>(static_cast<const T*>(a.x) + rowOffset(at, a.xStride), column[k],
                                      a.length);
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (first + k * kBlock >= chunks) continue;
    float v[V];
    unpack(x[k], v);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = a.cap * tanhf(v[j] / a.cap);
    storeColumns<(V > 1)>(result[k], column[k], a.length, pack<T, V>(v));
  }
}

bool beginsAligned(const SoftCapArgs& a) {
  const RowTensor tensors[] = {{a.x, a.xStride}, {a.result, a.resultStride}};
  return rowsBeginAligned(a.grid, a.dtype, tensors);
}

template <class T, int V>
cudaError_t launchSoftCap(const SoftCapArgs& a, cudaStream_t stream) {
  const std::int64_t perRow = (a.length + V - 1) / V, chunks = perRow * a.grid.count;
  constexpr std::int64_t kPerBlock = kBlock * kChunks<T, V>;
  const std::int64_t blocks = (chunks + kPerBlock - 1) / kPerBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;  // 2^40 elements
  return launchKernel(softCap<T, V>, blocks, kBlock, 0, stream, a, chunks, Divider(perRow));
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_soft_cap(const kadvise::SoftCapArgs* args,
                                                                 void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto enqueue = kadvise::beginsAligned(*args) ? kadvise::launchSoftCap<T, kadvise::kLanes<T>>
                                                       : kadvise::launchSoftCap<T, 1>;
    return enqueue(*args, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::soft_cap: starting its kernel");
}
