// Rows that a block works on chunk by chunk, whole or in parts: the loops that its steps share.
#pragma once

#include "kernels/common/reduce.cuh"
#include "kernels/common/row_schedule.h"
#include "kernels/common/vector.cuh"

namespace kadvise {

// The part of a row that a block works on: chunks begin to end; chunk c begins at column c * V - shift.
// Thread t takes chunks begin + t, + blockDim.x, … in every step. Index: int where rows are known to be
// short, for its registers.
//
// Arrays that are filled under a condition are cleared first (= {}): a register written only on condition
// would have to survive from batch to batch.
template <class T, int V, bool kEdges, class Index>
struct RowPart {
  Index begin, end, shift, length;

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
};

// Chunks that cover a row which begins `shift` elements into one.
template <int V>
__device__ __forceinline__ std::int64_t chunksOf(std::int64_t length, int shift) {
  return (length + shift + V - 1) / V;
}

// Part number `part` of a row that `splits` blocks share. Index: int where the row is known to be short.
template <class T, int V, bool kEdges, class Index = std::int64_t>
__device__ __forceinline__ RowPart<T, V, kEdges, Index> partOfRow(const T* row, std::int64_t length,
                                                                  int splits, int part) {
  const int shift = kEdges ? misalignment<T, V>(row) : 0;
  const auto chunks = static_cast<Index>(chunksOf<V>(length, shift));
  const Index span = (chunks + splits - 1) / splits, begin = span * part;
  return {begin, begin + span < chunks ? begin + span : chunks, shift, static_cast<Index>(length)};
}

// The whole of one.
template <class T, int V, bool kEdges, class Index = int>
__device__ __forceinline__ RowPart<T, V, kEdges, Index> wholeRow(const T* row, std::int64_t length) {
  const int shift = kEdges ? misalignment<T, V>(row) : 0;
  return {0, static_cast<Index>(chunksOf<V>(length, shift)), shift, static_cast<Index>(length)};
}

// The row's total of what its blocks left.
template <class Value>
__device__ __forceinline__ Value sumOfParts(const Value* parts, int splits, Value* slots) {
  Value total{};
  for (int i = threadIdx.x; i < splits; i += blockDim.x) total = plus(total, parts[i]);
  return sumOfBlock(total, slots);
}

}  // namespace kadvise
