// A few neighbouring elements at a time, as many as one access of up to 16 bytes moves: for kernels whose
// neighbours read the same memory again, so that it should stay in L1.
#pragma once

#include "kernels/common/vector.cuh"

namespace kadvise {

// Held as words: a compiler that sees elements of 16 bits takes them apart where they are loaded, and so
// waits for every load before the next.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Piece {
  static_assert((N & (N - 1)) == 0, "a piece is a power of two of elements");
  using Word = std::conditional_t<sizeof(T) * N == 2, std::uint16_t, std::uint32_t>;
  static constexpr int kWords = static_cast<int>(sizeof(T) * N / sizeof(Word));
  Word word[kWords];
};

// Zeros where `when` does not hold; no branch, so that many loads are in flight.
__device__ __forceinline__ void loadWordsIf(const void* p, bool when, std::uint16_t* word) {
  asm volatile("{ .reg .pred when; setp.ne.b32 when, %2, 0; mov.u16 %0, 0; @when ld.global.nc.u16 %0, [%1]; }"
               : "=&h"(word[0])
               : "l"(p), "r"(static_cast<int>(when)));
}
template <int kWords>
__device__ __forceinline__ void loadWordsIf(const void* p, bool when, std::uint32_t* word) {
  if constexpr (kWords == 1) {
    asm volatile(
        "{ .reg .pred when; setp.ne.b32 when, %2, 0; mov.u32 %0, 0; @when ld.global.nc.u32 %0, [%1]; }"
        : "=&r"(word[0])
        : "l"(p), "r"(static_cast<int>(when)));
  } else if constexpr (kWords == 2) {
    asm volatile(
        "{ .reg .pred when; setp.ne.b32 when, %3, 0; mov.u32 %0, 0; mov.u32 %1, 0;"
        " @when ld.global.nc.v2.u32 {%0, %1}, [%2]; }"
        : "=&r"(word[0]), "=&r"(word[1])
        : "l"(p), "r"(static_cast<int>(when)));
  } else {
#pragma unroll
    for (int w = 0; w < kWords; w += 4) {
      asm volatile(
          "{ .reg .pred when; setp.ne.b32 when, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0;"
          " mov.u32 %3, 0; @when ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4]; }"
          : "=&r"(word[w]), "=&r"(word[w + 1]), "=&r"(word[w + 2]), "=&r"(word[w + 3])
          : "l"(static_cast<const char*>(p) + 4 * w), "r"(static_cast<int>(when)));
    }
  }
}

template <class T, int N>
__device__ __forceinline__ bool isPieceAt(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(Piece<T, N>) == 0;
}

// Moves pieces of T for code that does not know CUDA.
template <class T>
struct DeviceMemory {
  using Element = T;
  template <int N>
  using Raw = Piece<T, N>;

  // Zeros where `when` does not hold: p need not be memory there.
  template <int N>
  __device__ __forceinline__ Piece<T, N> loadIf(const T* p, bool when) const {
    Piece<T, N> piece;
    if constexpr (sizeof(piece) == 2) {
      loadWordsIf(p, when, piece.word);
    } else {
      loadWordsIf<Piece<T, N>::kWords>(p, when, piece.word);
    }
    return piece;
  }
  template <int N>
  __device__ __forceinline__ void widen(const Piece<T, N>& piece, float (&v)[N]) const {
    if constexpr (sizeof(piece) == 2) {
      v[0] = toFloat(reinterpret_cast<const T&>(piece.word[0]));
    } else {
#pragma unroll
      for (int w = 0; w < Piece<T, N>::kWords; ++w) {
        if constexpr (sizeof(T) == 4) {
          v[w] = __uint_as_float(piece.word[w]);
        } else {
          const float2 pair = splitWord<T>(piece.word[w]);
          v[2 * w] = pair.x;
          v[2 * w + 1] = pair.y;
        }
      }
    }
  }
  template <int N>
  __device__ __forceinline__ void store(T* p, const float (&v)[N]) const {
    if constexpr (sizeof(Piece<T, N>) == 2) {
      *p = fromFloat<T>(v[0]);
    } else {
      Piece<T, N> piece;
#pragma unroll
      for (int w = 0; w < Piece<T, N>::kWords; ++w) {
        if constexpr (sizeof(T) == 4) {
          piece.word[w] = __float_as_uint(v[w]);
        } else {
          piece.word[w] = joinWord<T>(v[2 * w], v[2 * w + 1]);
        }
      }
      *reinterpret_cast<Piece<T, N>*>(p) = piece;
    }
  }
  // Whether N columns that lie together can be stored at once.
  template <int N>
  __device__ __forceinline__ bool rowIsWhole(const T* p, std::int64_t columns, std::int64_t step) const {
    return step == 1 && columns >= N && isPieceAt<T, N>(p);
  }
};

}  // namespace kadvise
