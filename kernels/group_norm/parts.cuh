// How the blocks of a row tell each other their sums.
//
// A row of few parts is a cluster: its blocks run side by side, each publishes its own sums and waits for the
// others, and x is read once. Else there are two launches, of which the second reads x again, last parts
// first: those are still in L2.
#pragma once

#include "kernels/common/reduce.cuh"

#include <cstdint>

namespace kadvise {

enum class GroupNormStep : std::int32_t {
  Whole,    // a row has one part
  Cluster,  // sums, a wait for the row's other blocks, and the result
  Sums,     // the first of two launches
  Result,   // the second
};

constexpr int kGroupNormMergeBlock = 128;

// Of some elements: their mean, the sum of their squared distances from it, and their number.
struct alignas(16) Moments {
  float mean, squares, count, unused;
};

struct GroupNormScratch {
  Moments* moments;    // of every part of every row, and of each of its groups
  std::int32_t parts;  // of a row
};

// The task that comes `at`-th, of all.
__device__ __forceinline__ std::int64_t taskAt(GroupNormStep step, std::int64_t at, std::int64_t all) {
  return step == GroupNormStep::Result ? all - 1 - at : at;
}

#ifdef __CUDACC__
// Every thread of the cluster calls it; what they wrote before is then in L2, and __ldcg sees it.
__device__ __forceinline__ void meetCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();  // not started there
#endif
}
#else
void meetCluster();  // of a test that emulates CUDA on the CPU
#endif

__device__ __forceinline__ Moments momentsInL2(const Moments* p) {
  const float4 v = __ldcg(reinterpret_cast<const float4*>(p));
  return {v.x, v.y, v.z, v.w};
}

// What parts have together: kThreads lanes of a warp share them, or the whole block does (kThreads 0, with
// slots for three sums). Fixed order, so equal inputs give equal bits. `stride`: moments from one part to the
// next.
template <int kThreads>
__device__ __forceinline__ Moments merged(const Moments* moments, std::int64_t stride, int parts, int thread,
                                          int threads, float2* slots) {
  float2 sum{};
  for (int i = thread; i < parts; i += threads) {
    const Moments part = momentsInL2(moments + i * stride);
    sum = plus(sum, float2{part.mean * part.count, part.count});
  }
  sum = sumOfRow<kThreads>(sum, slots);
  const float mean = sum.x / sum.y;
  float2 squares{};
  for (int i = thread; i < parts; i += threads) {
    const Moments part = momentsInL2(moments + i * stride);
    const float distance = part.mean - mean;
    squares.x += part.squares + part.count * distance * distance;
  }
  return {mean, sumOfRow<kThreads>(squares, slots + 32).x, sum.y, 0};
}

// A block for each group of each row: what its parts have together. Where a row has many parts, its blocks
// would otherwise all add them up.
__global__ void __launch_bounds__(kGroupNormMergeBlock)
    groupNormMerge(const GroupNormScratch from, Moments* to, int groups) {
  __shared__ float2 slots[2][32];
  const std::int64_t row = blockIdx.x / groups, group = blockIdx.x % groups;
  const Moments all = merged<0>(from.moments + row * from.parts * groups + group, groups, from.parts,
                                static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), slots[0]);
  if (threadIdx.x == 0) to[blockIdx.x] = all;
}

__device__ __forceinline__ float inverseDeviation(const Moments& m, float eps) {
  return 1.0f / sqrtf(m.squares / m.count + eps);
}

}  // namespace kadvise
