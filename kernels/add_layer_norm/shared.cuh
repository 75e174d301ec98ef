// Rows held in shared memory, a block each: rows too long for registers, and rows that only elements can
// reach (V = 1, tensors that are not aligned alike). Every input is read once. A thread reads back only the
// chunks it wrote itself, so the cache needs no barrier.
#pragma once

#include "kernels/add_layer_norm/row.cuh"
#include "kernels/common/row_part.cuh"
#include "kernels/common/row_schedule.h"

namespace kadvise {

// Of the last step, which holds the sum, the weight and the bias of every chunk.
constexpr int kFinishUnroll = kUnroll / 2;

// The three steps of add + LayerNorm on a block's part of a row.
template <class T, int V, bool kEdges, class Index>
struct AddLayerNormPart : RowPart<T, V, kEdges, Index> {
  using Part = RowPart<T, V, kEdges, Index>;
  using Part::length, Part::load;
  float share;  // 1 / length

  __device__ __forceinline__ AddLayerNormPart(const Part& part)
      : Part(part), share(1.0f / static_cast<float>(part.length)) {}

  // x + residual, to memory and to keep(chunk, sum). Returns this thread's part of the mean.
  template <class Keep>
  __device__ __forceinline__ float add(const RowPointers<T>& row, Keep keep) const {
    float mean = 0.0f;
    this->template batches<kUnroll>([&](Index c0) {
      Chunk<T, V> x[kUnroll] = {}, residual[kUnroll] = {};
      this->template batch<kUnroll>(c0, [&](int u, Index, Index first) {
        x[u] = load(row.x, first);
        residual[u] = load(row.residual, first);
      });
      this->template batch<kUnroll>(c0, [&](int u, Index c, Index first) {
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
    this->template batches<kUnroll>([&](Index c0) {
      Chunk<T, V> sum[kUnroll] = {};
      this->template batch<kUnroll>(c0, [&](int u, Index c, Index first) { sum[u] = read(c, first); });
      this->template batch<kUnroll>(c0, [&](int u, Index, Index first) {
        spread = addToSpread<kEdges>(spread, sum[u], mean, share, first, length);
      });
    });
    return spread;
  }

  template <class Read>
  __device__ __forceinline__ void finish(const AddLayerNormArgs& a, T* normalized, const Normaliser& toNormal,
                                         Read read) const {
    this->template batches<kFinishUnroll>([&](Index c0) {
      Chunk<T, V> sum[kFinishUnroll] = {}, weight[kFinishUnroll] = {}, bias[kFinishUnroll] = {};
      this->template batch<kFinishUnroll>(c0, [&](int u, Index c, Index first) {
        sum[u] = read(c, first);
        if constexpr (kEdges) return;  // weight and bias shift against the chunks: by element, below
        weight[u] = loadVectorOr<T, V>(a.weight, first, 1.0f);
        bias[u] = loadVectorOr<T, V>(a.bias, first, 0.0f);
      });
      this->template batch<kFinishUnroll>(c0, [&](int u, Index, Index first) {
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

  for (std::int64_t row = blockIdx.x; row < a.grid.count; row += gridDim.x) {
    const RowPointers<T> at = rowPointers<T>(a, row);
    const AddLayerNormPart<T, V, kEdges, int> part(wholeRow<T, V, kEdges>(at.x, a.length));

    const float thisMean = part.add(at, [&](int c, const Chunk<T, V>& sum) { cache[c] = sum; });
    const float mean = sumOfBlock(thisMean, meanSlots);
    const float2 spread = sumOfBlock(part.spread(mean, read), spreadSlots);
    part.finish(a, at.normalized, normaliser(mean, spread, part.share, a.eps), read);
  }
}

}  // namespace kadvise
