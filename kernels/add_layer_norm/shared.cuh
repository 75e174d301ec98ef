// Rows held in shared memory, a block each: rows too long for registers, and rows that only elements can
// reach (V = 1, tensors that are not aligned alike). Every input is read once. A thread reads back only the
// chunks it wrote itself, so the cache needs no barrier.
#pragma once

#include "kernels/add_layer_norm/row.cuh"
#include "kernels/add_layer_norm/schedule.h"

namespace kadvise {

// Of the last step, which holds the sum, the weight and the bias of every chunk.
constexpr int kFinishUnroll = kUnroll / 2;

// The part of a row that a block works on: chunks begin to end; chunk c begins at column c * V - shift.
// Thread t takes chunks begin + t, + blockDim.x, … in all three steps. Index: int where rows are known to be
// short, for its registers.
//
// Arrays that are filled under a condition are cleared first (= {}): a register written only on condition
// would have to survive from batch to batch.
template <class T, int V, bool kEdges, class Index>
struct RowPart {
  Index begin, end, shift, length;
  float share;  // 1 / length

  // Calls work(u, chunk, column) for up to kCount chunks from c0 on.
  template <int kCount, class Work>
  __device__ __forceinline__ void batch(Index c0, Work work) const {
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const Index c = c0 + u * static_cast<Index>(blockDim.x);
      if (c < end) work(u, c, c * V - shift);
    }
  }
  // Calls step(c0) for every batch of this thread.
  template <int kCount, class Step>
  __device__ __forceinline__ void batches(Step step) const {
    const Index stride = kCount * static_cast<Index>(blockDim.x);
    for (Index c0 = begin + threadIdx.x; c0 < end; c0 += stride) step(c0);
  }

  __device__ __forceinline__ Chunk<T, V> load(const T* row, Index first) const {
    return loadColumns<kEdges, T, V>(row, first, length);
  }

  // x + residual, to memory and to keep(chunk, sum). Returns this thread's part of the mean.
  template <class Keep>
  __device__ __forceinline__ float add(const RowPointers<T>& row, Keep keep) const {
    float mean = 0.0f;
    batches<kUnroll>([&](Index c0) {
      Chunk<T, V> x[kUnroll] = {}, residual[kUnroll] = {};
      batch<kUnroll>(c0, [&](int u, Index, Index first) {
        x[u] = load(row.x, first);
        residual[u] = load(row.residual, first);
      });
      batch<kUnroll>(c0, [&](int u, Index c, Index first) {
        const Chunk<T, V> sum = addChunks(x[u], residual[u]);
        storeColumns<kEdges>(row.sum, first, length, sum);
        keep(c, sum);
        mean = addToMean(mean, sum, share);
      });
    });
    return mean;
  }

  // This thread's part of the spread. read(chunk, column) gives the sum back.
  template <class Read>
  __device__ __forceinline__ float2 spread(float mean, Read read) const {
    float2 spread = {0.0f, 0.0f};
    batches<kUnroll>([&](Index c0) {
      Chunk<T, V> sum[kUnroll] = {};
      batch<kUnroll>(c0, [&](int u, Index c, Index first) { sum[u] = read(c, first); });
      batch<kUnroll>(c0, [&](int u, Index, Index first) {
        spread = addToSpread<kEdges>(spread, sum[u], mean, share, first, length);
      });
    });
    return spread;
  }

  template <class Read>
  __device__ __forceinline__ void finish(const AddLayerNormArgs& a, T* normalized, const Normaliser& toNormal,
                                         Read read) const {
    batches<kFinishUnroll>([&](Index c0) {
      Chunk<T, V> sum[kFinishUnroll] = {}, weight[kFinishUnroll] = {}, bias[kFinishUnroll] = {};
      batch<kFinishUnroll>(c0, [&](int u, Index c, Index first) {
        sum[u] = read(c, first);
        if constexpr (kEdges) return;  // weight and bias shift against the chunks: by element, below
        weight[u] = loadVectorOr<T, V>(a.weight, first, 1.0f);
        bias[u] = loadVectorOr<T, V>(a.bias, first, 0.0f);
      });
      batch<kFinishUnroll>(c0, [&](int u, Index, Index first) {
        if constexpr (kEdges) {
          float w[V], b[V];
          loadAffine<T, V>(a, first, length, w, b);
          storeColumns<kEdges>(normalized, first, length, normalise(sum[u], toNormal, w, b));
        } else {
          storeColumns<kEdges>(normalized, first, length, normalise(sum[u], toNormal, weight[u], bias[u]));
        }
      });
    });
  }
};

// Chunks that cover a row which begins `shift` elements into one.
template <int V>
__device__ __forceinline__ std::int64_t chunksOf(std::int64_t length, int shift) {
  return (length + shift + V - 1) / V;
}

// Dynamic shared memory: a chunk for each chunk of the row. Grid: any number of blocks; they loop over the
// rows.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2)
    addLayerNormShared(const __grid_constant__ AddLayerNormArgs a) {
  extern __shared__ uint4 dynamicShared[];
  __shared__ float meanSlots[32];
  __shared__ float2 spreadSlots[32];
  auto* cache = reinterpret_cast<Chunk<T, V>*>(dynamicShared);
  const auto read = [&](int c, int) { return cache[c]; };
  const float share = 1.0f / static_cast<float>(a.length);

  for (std::int64_t row = blockIdx.x; row < a.grid.count; row += gridDim.x) {
    const RowPointers<T> at = rowPointers<T>(a, row);
    const int shift = kEdges ? misalignment<T, V>(at.x) : 0;
    const RowPart<T, V, kEdges, int> part{0, static_cast<int>(chunksOf<V>(a.length, shift)), shift,
                                          static_cast<int>(a.length), share};

    const float thisMean = part.add(at, [&](int c, const Chunk<T, V>& sum) { cache[c] = sum; });
    const float mean = sumOfBlock(thisMean, meanSlots);
    const float2 spread = sumOfBlock(part.spread(mean, read), spreadSlots);
    part.finish(a, at.normalized, normaliser(mean, spread, share, a.eps), read);
  }
}

}  // namespace kadvise
