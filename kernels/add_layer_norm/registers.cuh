// Rows short enough to be held in registers: every input is read once, and all loads are in flight before the
// first use.
//
// No load is conditional: a thread without a chunk reads the row's first one and leaves it out of the sums. A
// register that is written on condition would have to survive from row to row, and the compiler then runs out
// of them.
#pragma once

#include "kernels/add_layer_norm/row.cuh"
#include "kernels/add_layer_norm/schedule.h"

namespace kadvise {

// The chunks of one thread where every row begins and ends at a chunk.
template <class T, int kVectors>
struct AlignedChunks {
  static constexpr int V = kLanes<T>;
  static constexpr bool kEdges = false;
  int first[kVectors];  // column
  bool has[kVectors];

  __device__ __forceinline__ AlignedChunks(const T*, int lane, int threads, bool live, int length) {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      first[k] = (lane + k * threads) * V;
      has[k] = live && first[k] < length;
      if (!has[k]) first[k] = 0;
    }
  }
  __device__ __forceinline__ Chunk<T, V> load(const T* row, int k, int) const {
    return loadOnce<T, V>(row + first[k]);
  }
  __device__ __forceinline__ void store(T* row, int k, int, const Chunk<T, V>& chunk) const {
    if (has[k]) storeWhole(row + first[k], chunk);
  }
};

// The same where rows begin anywhere between two chunks, all four tensors alike. A chunk outside the row is
// zero.
template <class T, int kVectors>
struct EdgeChunks {
  static constexpr int V = kLanes<T>;
  static constexpr bool kEdges = true;
  int first[kVectors];
  bool has[kVectors];

  __device__ __forceinline__ EdgeChunks(const T* row, int lane, int threads, bool live, int length) {
    const int shift = misalignment<T, V>(row);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      first[k] = live ? (lane + k * threads) * V - shift : length;
      has[k] = touches<V>(first[k], length);
    }
  }
  __device__ __forceinline__ Chunk<T, V> load(const T* row, int k, int length) const {
    return loadColumns<true, T, V>(row, first[k], length);
  }
  __device__ __forceinline__ void store(T* row, int k, int length, const Chunk<T, V>& chunk) const {
    storeColumns<true>(row, first[k], length, chunk);
  }
};

// Weight and bias of a thread's chunks.
template <class T, int kVectors>
struct HeldAffine {
  static constexpr int V = kLanes<T>;
  Chunk<T, V> weight[kVectors], bias[kVectors];

  __device__ __forceinline__ HeldAffine(const AddLayerNormArgs& a, const AlignedChunks<T, kVectors>& chunks) {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      weight[k] = loadVectorOr<T, V>(a.weight, chunks.first[k], 1.0f);
      bias[k] = loadVectorOr<T, V>(a.bias, chunks.first[k], 0.0f);
    }
  }
  __device__ __forceinline__ Chunk<T, V> apply(const Chunk<T, V>& sum, const Normaliser& toNormal,
                                               int k) const {
    return normalise(repack(sum), toNormal, repack(weight[k]), repack(bias[k]));
  }
};

// Against rows that begin anywhere weight and bias shift, so they are read by element, when needed.
template <class T, int kVectors>
struct ShiftedAffine {
  static constexpr int V = kLanes<T>;
  const AddLayerNormArgs& a;
  const EdgeChunks<T, kVectors>& chunks;

  __device__ __forceinline__ ShiftedAffine(const AddLayerNormArgs& a, const EdgeChunks<T, kVectors>& chunks)
      : a(a), chunks(chunks) {}
  __device__ __forceinline__ Chunk<T, V> apply(const Chunk<T, V>& sum, const Normaliser& toNormal,
                                               int k) const {
    float weight[V], bias[V];
    loadAffine<T, V>(a, chunks.first[k], static_cast<int>(a.length), weight, bias);
    return normalise(repack(sum), toNormal, weight, bias);
  }
};

// kThreads lanes share a row (0: the block does), each with up to kVectors chunks of it.
// Grid: any number of blocks; they loop over the rows.
template <class T, int kThreads, int kVectors, bool kEdges>
__global__ void __launch_bounds__(mostThreads(kThreads, kVectors), leastBlocks(kThreads, kVectors, kEdges))
    addLayerNormRegisters(const __grid_constant__ AddLayerNormArgs a) {
  using Chunks = std::conditional_t<kEdges, EdgeChunks<T, kVectors>, AlignedChunks<T, kVectors>>;
  using Affine = std::conditional_t<kEdges, ShiftedAffine<T, kVectors>, HeldAffine<T, kVectors>>;
  constexpr int V = kLanes<T>;
  __shared__ float meanSlots[32];
  __shared__ float2 spreadSlots[32];
  const int threads = kThreads > 0 ? kThreads : blockDim.x;
  const int lane = kThreads > 0 ? threadIdx.x % kThreads : threadIdx.x;
  const int rowInBlock = kThreads > 0 ? threadIdx.x / kThreads : 0;
  const int rowsPerBlock = kThreads > 0 ? blockDim.x / kThreads : 1;
  const int length = static_cast<int>(a.length);
  const float share = 1.0f / static_cast<float>(length);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * rowsPerBlock;

  // `base` is the same in the whole block, so that every lane takes part in every reduction.
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * rowsPerBlock; base < a.grid.count;
       base += step) {
    const std::int64_t row = base + rowInBlock;
    const bool live = row < a.grid.count;
    const RowPointers<T> at = rowPointers<T>(a, live ? row : a.grid.count - 1);
    const Chunks chunks(at.x, lane, threads, live, length);

    Chunk<T, V> sum[kVectors], residual[kVectors];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      sum[k] = chunks.load(at.x, k, length);
      residual[k] = chunks.load(at.residual, k, length);
    }
    float mean = 0.0f;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      sum[k] = addChunks(sum[k], residual[k]);
      chunks.store(at.sum, k, length, sum[k]);
      if (chunks.has[k]) mean = addToMean(mean, sum[k], share);
    }
    const Affine affine(a, chunks);  // weights arrive while the row is summed
    mean = sumOfRow<kThreads>(mean, meanSlots);

    float2 spread = {0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      if (!chunks.has[k]) continue;
      spread = addToSpread<kEdges>(spread, repack(sum[k]), mean, share, chunks.first[k], length);
    }
    spread = sumOfRow<kThreads>(spread, spreadSlots);

    const Normaliser toNormal = normaliser(mean, spread, share, a.eps);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      chunks.store(at.normalized, k, length, affine.apply(sum[k], toNormal, k));
    }
  }
}

}  // namespace kadvise
