// Blocks of a cluster, which run side by side and tell each other what they found: each writes into the
// shared memory of all.
#pragma once

#include "kernels/group_norm/moments.cuh"

namespace kadvise {

#ifdef __CUDACC__  // else a test that emulates CUDA on the CPU has them
// Every thread of the cluster calls it first: only where all blocks have begun may one write to another.
__device__ __forceinline__ void beginCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#else
  __trap();  // not started there
#endif
}
// Every thread calls it before the first of its block writes.
__device__ __forceinline__ void awaitClusterBegun() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait;" ::: "memory");
#endif
}
// Every thread calls it: what all blocks wrote before is there behind it.
__device__ __forceinline__ void meetCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}
// Where block `rank` has what lies at `own` in this block's dynamic shared memory.
__device__ __forceinline__ void storeInBlock(Moments* own, int rank, const Moments& m) {
#if __CUDA_ARCH__ >= 900
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(own))), "r"(rank));
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there), "f"(m.mean), "f"(m.squares),
               "f"(m.count), "f"(0.0f)
               : "memory");
#endif
}
#endif

// The blocks of a cluster in their order, each with as many sets.
struct ClusterBoard {
  Moments* sets;  // [parts][setsOfPart], in dynamic shared memory: boardBytes of plan.h
  int parts, setsOfPart;

  // `lanes` threads share it, of which this is number `lane`.
  __device__ __forceinline__ void tellAll(int part, int set, const Moments& m, int lane, int lanes) const {
    for (int rank = lane; rank < parts; rank += lanes) storeInBlock(sets + part * setsOfPart + set, rank, m);
  }
  // What all have together of a set, behind meetCluster().
  __device__ __forceinline__ Moments together(int set) const {
    SumsAbout all{sets[set].mean};
    for (int part = 0; part < parts; ++part) all.add(sets[part * setsOfPart + set]);
    return all.moments();
  }
};

}  // namespace kadvise
