// bias_activation and bias_add on a GPU: a thread takes a chunk of 16 bytes of each tensor, wherever rows
// allow, and else an element. The bias is read by every row and stays in the caches.
#include "kernels/bias_activation/launch.h"
#include "kernels/common/access.h"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/gated_activation/math.cuh"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

constexpr int kBlock = 128;

// Chunks of each input that a thread has in flight, as in gated_activation.
template <class T, int V, bool kAdds>
constexpr int kChunks = V == 1                    ? 4
                        : kAdds || sizeof(T) == 4 ? 1
                                                  : 2;

// Chunks are numbered through all rows.
struct ChunkGrid {
  std::int64_t chunks;
  Divider perRow;
};

// What is done with x + bias.
template <Activation kActivation>
struct Activates {
  static constexpr bool kAdds = false;
  template <class T>
  static __device__ __forceinline__ float of(float sum, float) {
    return activated<T, kActivation>(sum);
  }
};
struct Adds {
  static constexpr bool kAdds = true;
  template <class T>
  static __device__ __forceinline__ float of(float sum, float z) {
    return sum + z;
  }
};

// The bias has no gaps, so its last chunk may reach out of it where rows do.
template <class T, int V>
__device__ __forceinline__ void loadBias(const T* bias, std::int64_t column, std::int64_t length,
                                         float (&v)[V]) {
  if (V == 1 || isWhole<V>(column, length)) {
    unpack(loadReused<T, V>(bias + column), v);
  } else {
    loadEdge<T, V>(bias, column, length, v);
  }
}

template <class T, int V, class Tail>
__global__ void __launch_bounds__(kBlock)
    addBias(const __grid_constant__ BiasActivationArgs a, const __grid_constant__ ChunkGrid grid) {
  constexpr int kCount = kChunks<T, V, Tail::kAdds>;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kCount) + threadIdx.x;
  Chunk<T, V> x[kCount] = {}, z[kCount] = {};
  T* result[kCount];
  std::int64_t column[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    const std::int64_t chunk = first + k * kBlock;
    if (chunk >= grid.chunks) continue;
    const std::int64_t row = grid.perRow.quotient(chunk);
    column[k] = (chunk - row * grid.perRow.divisor) * V;
    const RowIndex at = rowIndex(a.grid, row);
    result[k] = static_cast<T*>(a.result) + rowOffset(at, a.resultStride);
    x[k] = loadColumns<(V > 1), T, V>(static_cast<const T*>(a.x) + rowOffset(at, a.xStride), column[k],
                                      a.length);
    if constexpr (Tail::kAdds) {
      z[k] = loadColumns<(V > 1), T, V>(static_cast<const T*>(a.z) + rowOffset(at, a.zStride), column[k],
                                        a.length);
    }
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (first + k * kBlock >= grid.chunks) continue;
    float v[V], bias[V], other[V];
    unpack(x[k], v);
    unpack(z[k], other);
    loadBias<T, V>(static_cast<const T*>(a.bias), column[k], a.length, bias);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = Tail::template of<T>(v[j] + bias[j], other[j]);
    storeColumns<(V > 1)>(result[k], column[k], a.length, pack<T, V>(v));
  }
}

bool beginsAligned(const BiasActivationArgs& a) {
  const RowTensor tensors[] = {{a.x, a.xStride}, {a.z, a.zStride}, {a.result, a.resultStride}};
  return at16Bytes(a.bias) && rowsBeginAligned(a.grid, a.dtype, tensors);
}

template <class T, int V, class Tail>
cudaError_t launchAddBias(const BiasActivationArgs& a, cudaStream_t stream) {
  const std::int64_t perRow = (a.length + V - 1) / V, chunks = perRow * a.grid.count;
  constexpr std::int64_t kPerBlock = kBlock * kChunks<T, V, Tail::kAdds>;
  const std::int64_t blocks = (chunks + kPerBlock - 1) / kPerBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;  // 2^40 elements
  return launchKernel(addBias<T, V, Tail>, blocks, kBlock, 0, stream, a, ChunkGrid{chunks, Divider(perRow)});
}

template <class T, class Tail>
cudaError_t launchFor(const BiasActivationArgs& a, cudaStream_t stream) {
  return beginsAligned(a) ? launchAddBias<T, kLanes<T>, Tail>(a, stream)
                          : launchAddBias<T, 1, Tail>(a, stream);
}

template <class T>
cudaError_t launch(const BiasActivationArgs& a, cudaStream_t stream) {
  if (a.z != nullptr) return launchFor<T, Adds>(a, stream);
  switch (a.activation) {
    case Activation::Silu:
      return launchFor<T, Activates<Activation::Silu>>(a, stream);
    case Activation::Gelu:
      return launchFor<T, Activates<Activation::Gelu>>(a, stream);
    case Activation::GeluTanh:
      return launchFor<T, Activates<Activation::GeluTanh>>(a, stream);
    case Activation::QuickGelu:
      return launchFor<T, Activates<Activation::QuickGelu>>(a, stream);
    case Activation::Sigmoid:
      return launchFor<T, Activates<Activation::Sigmoid>>(a, stream);
    case Activation::Relu:
      return launchFor<T, Activates<Activation::Relu>>(a, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_bias_activation(
    const kadvise::BiasActivationArgs* args, void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    return kadvise::launch<typename decltype(type)::type>(*args, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::bias_activation: starting its kernel");
}
