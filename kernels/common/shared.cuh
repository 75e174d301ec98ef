// Dynamic shared memory, and copies into it that no register waits for.
#pragma once

#include "kernels/common/vector.cuh"

namespace kadvise {

#ifdef __CUDACC__
// Aligned to 16 bytes.
__device__ __forceinline__ float* dynamicShared() {
  extern __shared__ float4 memory[];
  return reinterpret_cast<float*>(memory);
}
#else
float* dynamicShared();  // of a test that emulates CUDA on the CPU
#endif

#ifdef __CUDACC__
__device__ __forceinline__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
#endif

// A chunk of global memory; there behind awaitCopies(), for the thread that copied it. L1 is left alone.
// Single elements are loaded and stored.
template <class T, int V>
__device__ __forceinline__ void copyAsync(Chunk<T, V>* to, const T* from) {
#ifdef __CUDACC__
  if constexpr (V > 1) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
    return;
  }
#endif
  *to = loadOnce<T, V>(from);
}

__device__ __forceinline__ void awaitCopies() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Copies since the last call become a group; and all groups but the last `kButLast` are there.
__device__ __forceinline__ void groupCopies() {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int kButLast>
__device__ __forceinline__ void awaitGroups() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_group %0;" ::"n"(kButLast) : "memory");
#endif
}

}  // namespace kadvise
