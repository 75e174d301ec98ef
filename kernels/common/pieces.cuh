// A few neighbouring elements at a time, as many as one access of up to 16 bytes moves: for kernels whose
// neighbours read the same memory again, so that it should stay in L1.
#pragma once

#include "kernels/common/vector.cuh"

namespace kadvise {

template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Piece {
  static_assert((N & (N - 1)) == 0, "a piece is a power of two of elements");
  T element[N];
};

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

  template <int N>
  __device__ __forceinline__ Piece<T, N> load(const T* p) const {
    return *reinterpret_cast<const Piece<T, N>*>(p);
  }
  template <int N>
  __device__ __forceinline__ void widen(const Piece<T, N>& piece, float (&v)[N]) const {
#pragma unroll
    for (int j = 0; j < N; ++j) v[j] = toFloat(piece.element[j]);
  }
  template <int N>
  __device__ __forceinline__ void store(T* p, const float (&v)[N]) const {
    Piece<T, N> piece;
#pragma unroll
    for (int j = 0; j < N; ++j) piece.element[j] = fromFloat<T>(v[j]);
    *reinterpret_cast<Piece<T, N>*>(p) = piece;
  }
  // Whether N columns that lie together can be stored at once.
  template <int N>
  __device__ __forceinline__ bool rowIsWhole(const T* p, std::int64_t columns, std::int64_t step) const {
    return step == 1 && columns >= N && isPieceAt<T, N>(p);
  }
};

}  // namespace kadvise
