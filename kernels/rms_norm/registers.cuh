// Rows short enough to be held in registers: every input is read once, and all loads are in flight before the
// first use.
#pragma once

#include "kernels/common/row_chunks.cuh"
#include "kernels/common/row_schedule.h"
#include "kernels/rms_norm/row.cuh"

namespace kadvise {

// The weight of a thread's chunks. One of x's dtype is held, so that it arrives while the row is summed; a
// wider one would take twice the registers, and is read when needed.
template <class T, int kVectors>
struct HeldWeight {
  static constexpr int V = kLanes<T>;
  Chunk<T, V> weight[kVectors];

  __device__ __forceinline__ HeldWeight(const RmsNormArgs& a, const AlignedChunks<T, kVectors>& chunks) {
    const void* held = isWide<T>(a) ? nullptr : a.weight;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) weight[k] = loadVectorOr<T, V>(held, chunks.first[k], 1.0f);
  }
  __device__ __forceinline__ void read(const RmsNormArgs& a, const AlignedChunks<T, kVectors>& chunks, int k,
                                       float (&w)[V]) const {
    if (a.weight != nullptr && isWide<T>(a)) {
      loadWeightAs<float>(a.weight, chunks.first[k], w);
    } else {
      unpack(repack(weight[k]), w);
    }
  }
};

// Against rows that begin anywhere the weight shifts, so it is read by element, when needed.
template <class T, int kVectors>
struct ShiftedWeight {
  static constexpr int V = kLanes<T>;

  __device__ __forceinline__ ShiftedWeight(const RmsNormArgs&, const EdgeChunks<T, kVectors>&) {}
  __device__ __forceinline__ void read(const RmsNormArgs& a, const EdgeChunks<T, kVectors>& chunks, int k,
                                       float (&w)[V]) const {
    loadEdgeWeight<T>(a, chunks.first[k], static_cast<int>(a.length), w);
  }
};

// kThreads lanes share a row (0: the block does), each with up to kVectors chunks of it.
// Grid: any number of blocks; they loop over the rows.
template <class T, bool kAdd, int kThreads, int kVectors, bool kEdges>
__global__ void __launch_bounds__(mostThreads(kThreads, kVectors), leastBlocks(kThreads, kVectors, kEdges))
    rmsNormRegisters(const __grid_constant__ RmsNormArgs a) {
  using Chunks = std::conditional_t<kEdges, EdgeChunks<T, kVectors>, AlignedChunks<T, kVectors>>;
  using Weight = std::conditional_t<kEdges, ShiftedWeight<T, kVectors>, HeldWeight<T, kVectors>>;
  constexpr int V = kLanes<T>;
  // Two, used in turn: a row's sum must not overwrite what threads still read of the last one's.
  __shared__ float slots[2][32];
  const RowLanes<kThreads> lanes;
  const int length = static_cast<int>(a.length);
  int turn = 0;

  lanes.forEachRow(a.grid.count, [&](std::int64_t row, bool live) {
    const RmsRow<T, kAdd> at(a, row);
    const Chunks chunks(at.x, lanes.lane, lanes.threads, live, length);

    Chunk<T, V> value[kVectors], residual[kVectors];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      value[k] = chunks.load(at.x, k, length);
      if constexpr (kAdd) residual[k] = chunks.load(at.residual, k, length);
    }
    const Weight weight(a, chunks);
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      if constexpr (kAdd) {
        value[k] = addChunks(value[k], residual[k]);
        chunks.store(at.sum, k, length, value[k]);
      }
      // A choice, not a branch: behind a branch each load would wait for the one before it.
      const float more = addSquares(squares, value[k]);
      squares = chunks.has[k] ? more : squares;
    }
    const float scale = rmsScale(sumOfRow<kThreads>(squares, slots[turn]), a);
    turn ^= 1;

#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      float w[V];
      weight.read(a, chunks, k, w);
      chunks.store(at.normalized, k, length, scaled(repack(value[k]), scale, w, a.rounding));
    }
  });
}

}  // namespace kadvise
