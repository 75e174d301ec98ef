// Parts of rows that wait in the shared memory of a block, so that x is read once: more than registers hold,
// and the next row is on its way while one is worked on. A thread reads only what it brought itself.
#pragma once

#include "kernels/common/vector.cuh"
#include "kernels/group_norm/parts.cuh"

namespace kadvise {

// Moves 16 bytes from global to shared memory behind the thread's back.
__device__ __forceinline__ void bring(uint4* to, const void* from) {
#ifdef __CUDACC__
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
#else
  *to = *static_cast<const uint4*>(from);
#endif
}
// What was brought since the last call is one load.
__device__ __forceinline__ void endLoad() {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until at most so many loads, the last ones, are on their way: 0, 1 or 2.
__device__ __forceinline__ void waitForLoads(int onTheirWay) {
#ifdef __CUDACC__
  if (onTheirWay == 0) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  } else if (onTheirWay == 1) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  } else {
    asm volatile("cp.async.wait_group 2;" ::: "memory");
  }
#else
  (void)onTheirWay;
#endif
}

// ---- what the blocks of a cluster tell each other

#ifdef __CUDACC__
// Every thread of the cluster calls both. Between them it may do what nobody waits for.
__device__ __forceinline__ void arriveAtCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  __trap();  // not started there
#endif
}
__device__ __forceinline__ void waitForCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
// Into the shared memory of the cluster's block `rank`, where `to` lies in this one's.
__device__ __forceinline__ void tellBlock(Moments* to, int rank, const Moments& m) {
#if __CUDA_ARCH__ >= 900
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(at) : "r"(rank));
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(m.mean), "f"(m.squares),
               "f"(m.count), "f"(0.0f)
               : "memory");
#endif
}
#else  // of a test that emulates CUDA on the CPU
void arriveAtCluster();
void waitForCluster();
void tellBlock(Moments* to, int rank, const Moments& m);
#endif

}  // namespace kadvise
