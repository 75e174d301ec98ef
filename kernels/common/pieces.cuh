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

// `fill` where `when` does not hold; no branch, so that many loads are in flight.
__device__ __forceinline__ void loadWordsIf(const void* p, bool when, std::uint16_t fill,
                                            std::uint16_t* word) {
  asm volatile(
      "{ .reg .pred when; setp.ne.b32 when, %2, 0; mov.u16 %0, %3; @when ld.global.nc.u16 %0, [%1]; }"
      : "=&h"(word[0])
      : "l"(p), "r"(static_cast<int>(when)), "h"(fill));
}
template <int kWords>
__device__ __forceinline__ void loadWordsIf(const void* p, bool when, std::uint32_t fill,
                                            std::uint32_t* word) {
  if constexpr (kWords == 1) {
    asm volatile(
        "{ .reg .pred when; setp.ne.b32 when, %2, 0; mov.u32 %0, %3; @when ld.global.nc.u32 %0, [%1]; }"
        : "=&r"(word[0])
        : "l"(p), "r"(static_cast<int>(when)), "r"(fill));
  } else if constexpr (kWords == 2) {
    asm volatile(
        "{ .reg .pred when; setp.ne.b32 when, %3, 0; mov.u32 %0, %4; mov.u32 %1, %4;"
        " @when ld.global.nc.v2.u32 {%0, %1}, [%2]; }"
        : "=&r"(word[0]), "=&r"(word[1])
        : "l"(p), "r"(static_cast<int>(when)), "r"(fill));
  } else {
#pragma unroll
    for (int w = 0; w < kWords; w += 4) {
      asm volatile(
          "{ .reg .pred when; setp.ne.b32 when, %5, 0; mov.u32 %0, %6; mov.u32 %1, %6; mov.u32 %2, %6;"
          " mov.u32 %3, %6; @when ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4]; }"
          : "=&r"(word[w]), "=&r"(word[w + 1]), "=&r"(word[w + 2]), "=&r"(word[w + 3])
          : "l"(static_cast<const char*>(p) + 4 * w), "r"(static_cast<int>(when)), "r"(fill));
    }
  }
}

// The larger of two, or of two pairs of 16 bits; a NaN is the largest.
template <class T>
__device__ __forceinline__ std::uint32_t largerWord(std::uint32_t a, std::uint32_t b) {
  std::uint32_t most;
  if constexpr (std::is_same_v<T, float>) {
    asm("{ .reg .f32 x; max.NaN.f32 x, %1, %2; mov.b32 %0, x; }"
        : "=r"(most)
        : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
  } else if constexpr (std::is_same_v<T, __half>) {
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  } else {
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  }
  return most;
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

  // As often as it fits 32 bits. Of a literal, so that the compiler knows the bits.
  __device__ __forceinline__ static constexpr std::uint32_t wordOf(float v) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v);
    if (sizeof(T) == 4 || v == 0.0f) return bits;
    if (std::is_same_v<T, __nv_bfloat16>) return bits >> 16 | (bits & 0xffff0000u);
    return (bits >> 16 & 0xfc00u) * 0x10001u;  // of the infinities
  }

  // Zeros where `when` does not hold: p need not be memory there.
  template <int N>
  __device__ __forceinline__ Piece<T, N> loadIf(const T* p, bool when) const {
    return loadOr<N>(p, when, 0.0f);
  }
  // The same with another number than zero.
  template <int N>
  __device__ __forceinline__ Piece<T, N> loadOr(const T* p, bool when, float otherwise) const {
    Piece<T, N> piece;
    if constexpr (sizeof(piece) == 2) {
      loadWordsIf(p, when, static_cast<std::uint16_t>(wordOf(otherwise)), piece.word);
    } else {
      loadWordsIf<Piece<T, N>::kWords>(p, when, wordOf(otherwise), piece.word);
    }
    return piece;
  }
  template <int N>
  __device__ __forceinline__ Piece<T, N> filled(float v) const {
    Piece<T, N> piece;
#pragma unroll
    for (int w = 0; w < Piece<T, N>::kWords; ++w)
      piece.word[w] = static_cast<typename Piece<T, N>::Word>(wordOf(v));
    return piece;
  }
  template <int N, int kPart>
  __device__ __forceinline__ Piece<T, N> joined(const Piece<T, kPart> (&part)[N / kPart]) const {
    Piece<T, N> piece;
    constexpr int kWords = Piece<T, N>::kWords, kWordsOfPart = Piece<T, kPart>::kWords;
    constexpr bool kHalves = N / kPart == 2 * kWords;  // parts are halves of a word
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if constexpr (kHalves)
        piece.word[w] = part[2 * w].word[0] | static_cast<std::uint32_t>(part[2 * w + 1].word[0]) << 16;
      else piece.word[w] = part[w / kWordsOfPart].word[w % kWordsOfPart];
    }
    return piece;
  }
  // Every kStride-th column from kFirst on, of a row whose column -1 is `left` and whose last one is `right`.
  template <int N, int kFirst, int kStride, int kBody>
  __device__ __forceinline__ Piece<T, N> every(const Piece<T, 1>& left, const Piece<T, kBody>& body,
                                               const Piece<T, 1>& right) const {
    const auto wordWith = [&](int column) -> std::uint32_t {
      if (column < 0) return left.word[0];
      return column < kBody ? body.word[column * static_cast<int>(sizeof(T)) / 4] : right.word[0];
    };
    const auto isUpper = [](int column) { return column > 0 && column < kBody && column % 2 == 1; };
    Piece<T, N> piece;
#pragma unroll
    for (int w = 0; w < Piece<T, N>::kWords; ++w) {
      if constexpr (sizeof(T) == 4) {
        piece.word[w] = wordWith(kFirst + w * kStride);
      } else {
        const int low = kFirst + 2 * w * kStride, high = low + kStride;
        piece.word[w] =
            high == low + 1 && low % 2 == 0
                ? wordWith(low)
                : __byte_perm(wordWith(low), wordWith(high),
                              (isUpper(low) ? 0x32u : 0x10u) | (isUpper(high) ? 0x7600u : 0x5400u));
      }
    }
    return piece;
  }
  template <int N>
  __device__ __forceinline__ Piece<T, N> larger(const Piece<T, N>& a, const Piece<T, N>& b) const {
    Piece<T, N> piece;
#pragma unroll
    for (int w = 0; w < Piece<T, N>::kWords; ++w)
      piece.word[w] = static_cast<typename Piece<T, N>::Word>(largerWord<T>(a.word[w], b.word[w]));
    return piece;
  }
  __device__ __forceinline__ float larger(float a, float b) const {
    return __uint_as_float(largerWord<float>(__float_as_uint(a), __float_as_uint(b)));
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
  template <int N>
  __device__ __forceinline__ void storePiece(T* p, const Piece<T, N>& piece) const {
    *reinterpret_cast<Piece<T, N>*>(p) = piece;
  }
  template <int N>
  __device__ __forceinline__ Piece<T, 1> elementOf(const Piece<T, N>& piece, int i) const {
    using Word = typename Piece<T, 1>::Word;
    if constexpr (sizeof(T) == 4) return {{piece.word[i]}};
    return {{static_cast<Word>(piece.word[i / 2] >> (i % 2 * 16))}};
  }
  // Whether N columns that lie together can be stored at once.
  template <int N>
  __device__ __forceinline__ bool rowIsWhole(const T* p, std::int64_t columns, std::int64_t step) const {
    return step == 1 && columns >= N && isPieceAt<T, N>(p);
  }
};

}  // namespace kadvise
