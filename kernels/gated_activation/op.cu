// activation and gated_activation on a GPU: a thread takes a chunk of 16 bytes of each tensor, wherever rows
// allow, and else an element.
#include "kernels/common/access.h"
#include "kernels/common/activation.cuh"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/gated_activation/launch.h"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

constexpr int kBlock = 128;

// Chunks of each input that a thread has in flight. Two inputs, or floats, keep enough bytes on their way
// with one; 16-bit elements take longer to compute than to move, and more of them hide it.
template <class T, int V, bool kGated>
constexpr int kChunks = V == 1                     ? 4
                        : kGated || sizeof(T) == 4 ? 1
                                                   : 2;

// Chunks are numbered through all rows.
struct ChunkGrid {
  std::int64_t chunks;
  Divider perRow;
};

template <class T, int V, Activation kActivation, bool kGated>
__device__ __forceinline__ Chunk<T, V> activatedChunk(const Chunk<T, V>& gate, const Chunk<T, V>& up) {
  float v[V];
  unpack(gate, v);
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] = activated<T, kActivation>(v[j]);
  const Chunk<T, V> rounded = pack<T, V>(v);
  if constexpr (!kGated) return rounded;
  float u[V];
  unpack(rounded, v);
  unpack(up, u);
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] *= u[j];
  return pack<T, V>(v);
}

template <class T, int V, Activation kActivation, bool kGated>
__global__ void __launch_bounds__(kBlock)
    activate(const __grid_constant__ GatedActivationArgs a, const __grid_constant__ ChunkGrid grid) {
  constexpr int kCount = kChunks<T, V, kGated>;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kBlock * kCount) + threadIdx.x;
  Chunk<T, V> gate[kCount] = {}, up[kCount] = {};
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
    gate[k] = loadColumns<(V > 1), T, V>(static_cast<const T*>(a.gate) + rowOffset(at, a.gateStride),
                                         column[k], a.length);
    if constexpr (kGated) {
      up[k] = loadColumns<(V > 1), T, V>(static_cast<const T*>(a.up) + rowOffset(at, a.upStride), column[k],
                                         a.length);
    }
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (first + k * kBlock >= grid.chunks) continue;
    storeColumns<(V > 1)>(result[k], column[k], a.length,
                          activatedChunk<T, V, kActivation, kGated>(gate[k], up[k]));
  }
}

bool beginsAligned(const GatedActivationArgs& a) {
  const RowTensor tensors[] = {{a.gate, a.gateStride}, {a.up, a.upStride}, {a.result, a.resultStride}};
  return rowsBeginAligned(a.grid, a.dtype, tensors);
}

template <class T, int V, Activation kActivation, bool kGated>
cudaError_t launchActivate(const GatedActivationArgs& a, cudaStream_t stream) {
  const std::int64_t perRow = (a.length + V - 1) / V, chunks = perRow * a.grid.count;
  constexpr std::int64_t kPerBlock = kBlock * kChunks<T, V, kGated>;
  const std::int64_t blocks = (chunks + kPerBlock - 1) / kPerBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;  // 2^40 elements
  return launchKernel(activate<T, V, kActivation, kGated>, blocks, kBlock, 0, stream, a,
                      ChunkGrid{chunks, Divider(perRow)});
}

template <class T, Activation kActivation>
cudaError_t launchFor(const GatedActivationArgs& a, cudaStream_t stream) {
  constexpr int V = kLanes<T>;
  if (a.up == nullptr) {
    return beginsAligned(a) ? launchActivate<T, V, kActivation, false>(a, stream)
                            : launchActivate<T, 1, kActivation, false>(a, stream);
  }
  return beginsAligned(a) ? launchActivate<T, V, kActivation, true>(a, stream)
                          : launchActivate<T, 1, kActivation, true>(a, stream);
}

template <class T>
cudaError_t launch(const GatedActivationArgs& a, cudaStream_t stream) {
  switch (a.activation) {
    case Activation::Silu:
      return launchFor<T, Activation::Silu>(a, stream);
    case Activation::Gelu:
      return launchFor<T, Activation::Gelu>(a, stream);
    case Activation::GeluTanh:
      return launchFor<T, Activation::GeluTanh>(a, stream);
    case Activation::QuickGelu:
      return launchFor<T, Activation::QuickGelu>(a, stream);
    case Activation::Sigmoid:
      return launchFor<T, Activation::Sigmoid>(a, stream);
    case Activation::Relu:
      return launchFor<T, Activation::Relu>(a, stream);
    case Activation::Relu6:
      return launchFor<T, Activation::Relu6>(a, stream);
    case Activation::HardSwish:
      return launchFor<T, Activation::HardSwish>(a, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_gated_activation(
    const kadvise::GatedActivationArgs* args, void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    return kadvise::launch<typename decltype(type)::type>(*args, static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::gated_activation: starting its kernel");
}
