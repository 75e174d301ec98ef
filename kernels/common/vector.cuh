// Memory access of the row kernels: 16 bytes at a time (a chunk), arithmetic in float.
//
// A row whose length is no multiple of a chunk begins between two chunks of memory in most rows. Its chunks
// are then those of memory, not of the row: `first`, the column of a chunk's first element, may be negative
// or reach past the end, and such an edge chunk is moved element by element. Chunks of one element serve
// tensors whose rows are not aligned alike.
#pragma once

#include "kernels/common/abi.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace kadvise {

template <class T>
constexpr int kLanes = 16 / static_cast<int>(sizeof(T));  // elements of a full chunk

// V elements as they lie in memory: V is kLanes<T> or 1.
template <class T, int V>
struct Chunk {
  static_assert(V == kLanes<T>, "a chunk is 16 bytes or one element");
  uint4 bits;
};
template <class T>
struct Chunk<T, 1> {
  T bits;
};

// ---- element types

__device__ __forceinline__ float toFloat(float v) { return v; }
__device__ __forceinline__ float toFloat(__half v) { return __half2float(v); }
__device__ __forceinline__ float toFloat(__nv_bfloat16 v) { return __bfloat162float(v); }

template <class T>
__device__ __forceinline__ T fromFloat(float v);
template <>
__device__ __forceinline__ float fromFloat<float>(float v) {
  return v;
}
template <>
__device__ __forceinline__ __half fromFloat<__half>(float v) {
  return __float2half_rn(v);
}
template <>
__device__ __forceinline__ __nv_bfloat16 fromFloat<__nv_bfloat16>(float v) {
  return __float2bfloat16_rn(v);
}

// Two 16-bit elements of a word: the lower one first.
template <class T>
__device__ __forceinline__ float2 splitWord(std::uint32_t word);
template <>
__device__ __forceinline__ float2 splitWord<__half>(std::uint32_t word) {
  return __half22float2(*reinterpret_cast<const __half2*>(&word));
}
template <>
__device__ __forceinline__ float2 splitWord<__nv_bfloat16>(std::uint32_t word) {
  return {__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u)};
}

template <class T>
__device__ __forceinline__ std::uint32_t joinWord(float low, float high);
template <>
__device__ __forceinline__ std::uint32_t joinWord<__half>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
template <>
__device__ __forceinline__ std::uint32_t joinWord<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// ---- chunks and floats

template <class T, int V>
__device__ __forceinline__ void unpack(const Chunk<T, V>& chunk, float (&v)[V]) {
  if constexpr (V == 1) {
    v[0] = toFloat(chunk.bits);
  } else {
    const std::uint32_t word[4] = {chunk.bits.x, chunk.bits.y, chunk.bits.z, chunk.bits.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if constexpr (sizeof(T) == 4) {
        v[w] = __uint_as_float(word[w]);
      } else {
        const float2 pair = splitWord<T>(word[w]);
        v[2 * w] = pair.x;
        v[2 * w + 1] = pair.y;
      }
    }
  }
}

// Rounds to nearest even, as torch does.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> pack(const float (&v)[V]) {
  if constexpr (V == 1) {
    return {fromFloat<T>(v[0])};
  } else {
    std::uint32_t word[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if constexpr (sizeof(T) == 4) {
        word[w] = __float_as_uint(v[w]);
      } else {
        word[w] = joinWord<T>(v[2 * w], v[2 * w + 1]);
      }
    }
    return {make_uint4(word[0], word[1], word[2], word[3])};
  }
}

// The same chunk, but the compiler does not know: what it unpacked before is unpacked again rather than kept
// in twice or four times the registers.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> repack(Chunk<T, V> chunk) {
  if constexpr (V > 1 && sizeof(T) < 4) {
    asm volatile("" : "+r"(chunk.bits.x), "+r"(chunk.bits.y), "+r"(chunk.bits.z), "+r"(chunk.bits.w));
  }
  return chunk;
}

// The sum, rounded to T.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> addChunks(const Chunk<T, V>& left, const Chunk<T, V>& right) {
  float a[V], b[V];
  unpack(left, a);
  unpack(right, b);
#pragma unroll
  for (int j = 0; j < V; ++j) a[j] += b[j];
  return pack<T, V>(a);
}

// ---- memory

// A whole chunk that is read once: it stays out of L1, where weights live. `volatile` keeps the loads where
// they are written, ahead of the arithmetic, so that many are in flight.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> loadOnce(const T* p) {
  Chunk<T, V> chunk;
  if constexpr (V == 1) {
    chunk.bits = *p;
  } else {
#ifdef __CUDACC__
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(chunk.bits.x), "=r"(chunk.bits.y), "=r"(chunk.bits.z), "=r"(chunk.bits.w)
                 : "l"(p));
#else
    chunk.bits = *reinterpret_cast<const uint4*>(p);
#endif
  }
  return chunk;
}

// A whole chunk of a vector that every row reads. `volatile`: before the reduction, not sunk below it.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> loadReused(const T* p) {
  Chunk<T, V> chunk;
  if constexpr (V == 1) {
    chunk.bits = *p;
  } else {
#ifdef __CUDACC__
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(chunk.bits.x), "=r"(chunk.bits.y), "=r"(chunk.bits.z), "=r"(chunk.bits.w)
                 : "l"(p));
#else
    chunk.bits = *reinterpret_cast<const uint4*>(p);
#endif
  }
  return chunk;
}

template <class T, int V>
__device__ __forceinline__ void storeWhole(T* p, const Chunk<T, V>& chunk) {
  if constexpr (V == 1) {
    *p = chunk.bits;
  } else {  // spelled out: the compiler splits some assignments of a whole chunk into four stores
#ifdef __CUDACC__
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(chunk.bits.x), "r"(chunk.bits.y),
                 "r"(chunk.bits.z), "r"(chunk.bits.w)
                 : "memory");
#else
    *reinterpret_cast<uint4*>(p) = chunk.bits;
#endif
  }
}

// Whether the chunk whose first element is column `first` lies within the row, and whether it touches it at
// all. Index: int where a row is known to be short (its arithmetic is free), else std::int64_t.
template <int V, class Index>
__device__ __forceinline__ bool isWhole(Index first, Index length) {
  return first >= 0 && first + V <= length;
}
template <int V, class Index>
__device__ __forceinline__ bool touches(Index first, Index length) {
  return first + V > 0 && first < length;
}

// The elements of an edge chunk that are in the row; zero elsewhere.
template <class T, int V, class Index>
__device__ __forceinline__ void loadEdge(const T* row, Index first, Index length, float (&v)[V]) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const Index column = first + j;
    v[j] = column >= 0 && column < length ? toFloat(row[column]) : 0.0f;
  }
}

// The chunk at column `first` of a row, read once. kEdges: it may reach out of the row.
template <bool kEdges, class T, int V, class Index>
__device__ __forceinline__ Chunk<T, V> loadColumns(const T* row, Index first, Index length) {
  if (!kEdges || isWhole<V>(first, length)) return loadOnce<T, V>(row + first);
  float v[V];
  loadEdge<T, V>(row, first, length, v);
  return pack<T, V>(v);
}

template <bool kEdges, class T, int V, class Index>
__device__ __forceinline__ void storeColumns(T* row, Index first, Index length, const Chunk<T, V>& chunk) {
  if (!kEdges || isWhole<V>(first, length)) {
    storeWhole(row + first, chunk);
    return;
  }
  float v[V];
  unpack(chunk, v);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const Index column = first + j;
    if (column >= 0 && column < length) row[column] = fromFloat<T>(v[j]);
  }
}

// How many elements past a chunk boundary of memory the row begins.
template <class T, int V>
__device__ __forceinline__ int misalignment(const T* row) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % V);
}

// ---- rows

// Position of a row in the grid; the division is skipped when one stride serves.
struct RowIndex {
  std::int64_t outer, inner;
};
__device__ __forceinline__ RowIndex rowIndex(const RowGrid& grid, std::int64_t row) {
  if (grid.inner == grid.count) return {0, row};
  if (grid.count <= INT32_MAX) {
    const auto r = static_cast<std::uint32_t>(row), inner = static_cast<std::uint32_t>(grid.inner);
    return {r / inner, r % inner};
  }
  return {row / grid.inner, row % grid.inner};
}
__device__ __forceinline__ std::int64_t rowOffset(const RowIndex& at, const RowStride& stride) {
  return at.outer * stride.outer + at.inner * stride.inner;
}

}  // namespace kadvise
