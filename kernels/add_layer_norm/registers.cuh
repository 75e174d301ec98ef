// Rows short enough to be held in registers: every input is read once, and all loads are in flight before the
// first use.
#pragma once

#include "kernels/add_layer_norm/row.cuh"
#include "kernels/common/row_chunks.cuh"
#include "kernels/common/row_schedule.h"

namespace kadvise {

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
  const RowLanes<kThreads> lanes;
  const int length = static_cast<int>(a.length);
  const float share = 1.0f / static_cast<float>(length);

  lanes.forEachRow(a.grid.count, [&](std::int64_t row, bool live) {
    const RowPointers<T> at = rowPointers<T>(a, row);
    const Chunks chunks(at.x, lanes.lane, lanes.threads, live, length);

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
  });
}

}  // namespace kadvise
