// What the warps of a GPU do together with small matrices of 16 bits (compute capability 8.0): moving them
// from shared memory into registers, and multiplying them. PTX ISA, "Warp-Level Matrix Instructions".
//
// Lane l holds of a matrix of 8 x 8 the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4, as one word. Of
// floats a matrix is one of 8 x 4, and the lane holds element l % 4.
#pragma once

#include "kernels/common/shared.cuh"

namespace kadvise {

#ifdef __CUDACC__

// Four matrices; lane l knows where row l % 8 of matrix l / 8 begins, at a multiple of 16 bytes: some bytes
// behind what all lanes share, which are sums of 32 bits.
__device__ __forceinline__ void loadMatrices(const void* base, std::int32_t row, std::uint32_t (&matrix)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]), "=r"(matrix[3])
               : "r"(sharedAddress(base) + static_cast<unsigned>(row))
               : "memory");
}
__device__ __forceinline__ void loadMatrices(const void* row, std::uint32_t (&matrix)[4]) {
  loadMatrices(row, 0, matrix);
}

// The same, transposed: lane l holds elements of column l / 4.
__device__ __forceinline__ void loadMatricesTransposed(const void* row, std::uint32_t (&matrix)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]), "=r"(matrix[3])
               : "r"(sharedAddress(row))
               : "memory");
}

// sum += a b: two matrices of a, one above the other, times one of b, which is held transposed. The upper
// result is in the first two elements of sum, the lower in the others. Sums are of float.
template <class T>
__device__ __forceinline__ void multiplyAdd(std::uint32_t upper, std::uint32_t lower, std::uint32_t b,
                                            float (&sum)[4]) {
  if constexpr (std::is_same_v<T, __half>) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(upper), "r"(lower), "r"(b));
  } else if constexpr (std::is_same_v<T, float>) {
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(upper), "r"(lower), "r"(b));
  } else {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(upper), "r"(lower), "r"(b));
  }
}

// The same with two matrices beside each other: a upper, lower, upper, lower, and b one below the other.
template <class T>
__device__ __forceinline__ void multiplyAddTwo(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                               float (&sum)[4]) {
  if constexpr (std::is_same_v<T, __half>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else if constexpr (std::is_same_v<T, float>) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

// Of a float, the nearest with ten bits behind the point: what a product of floats multiplies.
__device__ __forceinline__ std::uint32_t roundedToTf32(std::uint32_t word) {
  std::uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "r"(word));
  return rounded;
}

// Bytes of global memory, which must be a multiple of their number there and here; zeros where `when` does
// not hold. There behind awaitCopies(), for the thread that copied them.
template <int kBytes>
__device__ __forceinline__ void copyBytesAsync(void* to, const void* from, bool when) {
  if constexpr (kBytes == 2) {
    *static_cast<std::uint16_t*>(to) = when ? *static_cast<const std::uint16_t*>(from) : std::uint16_t{0};
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(sharedAddress(to)), "l"(from),
                 "n"(kBytes), "r"(when ? kBytes : 0)
                 : "memory");
  }
}

// The lower (or the upper) halves of two words as one.
__device__ __forceinline__ std::uint32_t lowerHalves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x5410);
}
__device__ __forceinline__ std::uint32_t upperHalves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x7632);
}

#else  // of a test that emulates CUDA on the CPU

void loadMatrices(const void* row, std::uint32_t (&matrix)[4]);
inline void loadMatrices(const void* base, std::int32_t row, std::uint32_t (&matrix)[4]) {
  loadMatrices(static_cast<const char*>(base) + row, matrix);
}
void loadMatricesTransposed(const void* row, std::uint32_t (&matrix)[4]);
template <class T>
void multiplyAdd(std::uint32_t upper, std::uint32_t lower, std::uint32_t b, float (&sum)[4]);
template <class T>
void multiplyAddTwo(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sum)[4]);
std::uint32_t roundedToTf32(std::uint32_t word);
template <int kBytes>
void copyBytesAsync(void* to, const void* from, bool when);
inline std::uint32_t lowerHalves(std::uint32_t a, std::uint32_t b) { return (a & 0xffffu) | b << 16; }
inline std::uint32_t upperHalves(std::uint32_t a, std::uint32_t b) { return a >> 16 | (b & 0xffff0000u); }

#endif

// Calls work with the number of bytes, 2, 4, 8 or 16, as its template parameter.
template <class Work>
__device__ __forceinline__ void withBytes(int bytes, Work work) {
  switch (bytes) {
    case 16:
      return work.template operator()<16>();
    case 8:
      return work.template operator()<8>();
    case 4:
      return work.template operator()<4>();
    default:
      return work.template operator()<2>();
  }
}
template <int kBytes>
using WordOf = std::conditional_t<
    kBytes == 16, uint4,
    std::conditional_t<kBytes == 8, uint2, std::conditional_t<kBytes == 4, std::uint32_t, std::uint16_t>>>;

}  // namespace kadvise
