// Two launches, where no blocks side by side can hold a row: the first leaves the moments of parts in memory,
// the second reads x again, last parts first: those are still in L2.
#pragma once

#include "kernels/group_norm/moments.cuh"

namespace kadvise {

struct GroupNormScratch {
  Moments* moments;    // of every part of every row, and of each of its groups
  std::int32_t parts;  // of a row
};

// The second of two launches starts while the first one's last blocks run: what it reads of them lies behind
// the wait.
#ifdef __CUDACC__
__device__ __forceinline__ void letNextLaunchBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void awaitLaunchBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#else
inline void letNextLaunchBegin() {}
inline void awaitLaunchBefore() {}
#endif

__device__ __forceinline__ Moments momentsInL2(const Moments* p) {
  const float4 v = __ldcg(reinterpret_cast<const float4*>(p));
  return {v.x, v.y, v.z, v.w};
}

// A thread's share of what parts have together, `threads` of them sharing.
__device__ __forceinline__ Moments merged(const Moments* moments, int parts, int thread, int threads) {
  if (thread >= parts) return {};
  SumsAbout all{momentsInL2(moments + thread).mean};
#pragma unroll 4
  for (int i = thread; i < parts; i += threads) all.add(momentsInL2(moments + i));
  return all.moments();
}

}  // namespace kadvise
