// Rows held in shared memory, a block each: rows too long for registers, and rows that only elements can
// reach (V = 1, tensors that are not aligned alike). Every input is read once. A thread reads back only the
// chunks it wrote itself, so the cache needs no barrier.
#pragma once

#include "kernels/common/row_part.cuh"
#include "kernels/common/row_schedule.h"
#include "kernels/rms_norm/row.cuh"

namespace kadvise {

// The two steps of RMSNorm on a block's part of a row.
template <class T, int V, bool kAdd, bool kEdges, class Index>
struct RmsPart : RowPart<T, V, kEdges, Index> {
  using Part = RowPart<T, V, kEdges, Index>;
  using Part::length, Part::load;

  __device__ __forceinline__ RmsPart(const Part& part) : Part(part) {}

  // The row, with the residual added where there is one, to keep(chunk, value). Returns this thread's part of
  // the squares.
  template <class Keep>
  __device__ __forceinline__ float squares(const RmsRow<T, kAdd>& row, Keep keep) const {
    float squares = 0.0f;
    this->template batches<kUnroll>([&](Index c0) {
      Chunk<T, V> value[kUnroll] = {}, residual[kUnroll] = {};
      this->template batch<kUnroll>(c0, [&](int u, Index, Index first) {
        value[u] = load(row.x, first);
        if constexpr (kAdd) residual[u] = load(row.residual, first);
      });
      this->template batch<kUnroll>(c0, [&](int u, Index c, Index first) {
        if constexpr (kAdd) {
          value[u] = addChunks(value[u], residual[u]);
          storeColumns<kEdges>(row.sum, first, length, value[u]);
        }
        keep(c, value[u]);
        squares = addSquares(squares, value[u]);
      });
    });
    return squares;
  }

  // read(chunk, column) gives the value back.
  template <class Read>
  __device__ __forceinline__ void finish(const RmsNormArgs& a, T* normalized, float scale, Read read) const {
    this->template batches<kUnroll>([&](Index c0) {
      Chunk<T, V> value[kUnroll] = {};
      this->template batch<kUnroll>(c0, [&](int u, Index c, Index first) { value[u] = read(c, first); });
      this->template batch<kUnroll>(c0, [&](int u, Index, Index first) {
        float w[V];
        if constexpr (kEdges) {
          loadEdgeWeight<T>(a, first, length, w);
        } else {
          loadWeight<T>(a, first, w);
        }
        storeColumns<kEdges>(normalized, first, length, scaled(value[u], scale, w, a.rounding));
      });
    });
  }
};

// Dynamic shared memory: a chunk for each chunk of the row. Grid: any number of blocks; they loop over the
// rows.
template <class T, int V, bool kAdd, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2) rmsNormShared(const __grid_constant__ RmsNormArgs a) {
  extern __shared__ uint4 dynamicShared[];
  __shared__ float slots[2][32];  // used in turn
  auto* cache = reinterpret_cast<Chunk<T, V>*>(dynamicShared);
  int turn = 0;

  for (std::int64_t row = blockIdx.x; row < a.grid.count; row += gridDim.x, turn ^= 1) {
    const RmsRow<T, kAdd> at(a, row);
    const RmsPart<T, V, kAdd, kEdges, int> part(wholeRow<T, V, kEdges>(at.x, a.length));
    const float mine = part.squares(at, [&](int c, const Chunk<T, V>& value) { cache[c] = value; });
    const float scale = rmsScale(sumOfBlock(mine, slots[turn]), a);
    part.finish(a, at.normalized, scale, [&](int c, int) { return cache[c]; });
  }
}

}  // namespace kadvise
