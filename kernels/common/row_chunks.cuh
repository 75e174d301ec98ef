// A row in registers: which chunks of it a thread holds.
//
// No load is conditional: a thread without a chunk reads the row's first one and leaves it out of the sums. A
// register that is written on condition would have to survive from row to row, and the compiler then runs out
// of them.
#pragma once

#include "kernels/common/vector.cuh"

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

// The same where rows begin anywhere between two chunks, all tensors alike. A chunk outside the row is
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

// A whole chunk of a row vector, or one filled with `missing` where there is no vector.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> loadVectorOr(const void* vector, std::int64_t first, float missing) {
  if (vector != nullptr) return loadReused<T, V>(static_cast<const T*>(vector) + first);
  float v[V];
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] = missing;
  return pack<T, V>(v);
}

// Where the threads of a block stand in the rows it works on: kThreads lanes share a row, or with 0 the block
// does.
template <int kThreads>
struct RowLanes {
  int threads, lane, rowInBlock, rowsPerBlock;

  __device__ __forceinline__ RowLanes()
      : threads(kThreads > 0 ? kThreads : blockDim.x),
        lane(kThreads > 0 ? threadIdx.x % kThreads : threadIdx.x),
        rowInBlock(kThreads > 0 ? threadIdx.x / kThreads : 0),
        rowsPerBlock(kThreads > 0 ? blockDim.x / kThreads : 1) {}

  // Calls work(row, live) for every row of this thread's group. All threads of the block make the same calls,
  // so that every lane takes part in every reduction; a thread beyond the last row gets that row, not live.
  template <class Work>
  __device__ __forceinline__ void forEachRow(std::int64_t rows, Work work) const {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * rowsPerBlock;
    for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * rowsPerBlock; base < rows;
         base += step) {
      const std::int64_t row = base + rowInBlock;
      work(row < rows ? row : rows - 1, row < rows);
    }
  }
};

}  // namespace kadvise
