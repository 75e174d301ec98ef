// What the blocks of a row find, and how they tell each other.
//
// A row of few small parts is a cluster: its blocks run side by side, each holds its part in shared memory,
// publishes what it found and waits for the others, and x is read once. Else there are two launches, of which
// the second reads x again, last parts first: those are still in L2.
#pragma once

#include "kernels/common/reduce.cuh"

#include <cstdint>

namespace kadvise {

constexpr int kGroupNormMergeBlock = 128;

// Of some elements: their mean, the sum of their squared distances from it, and their number.
struct alignas(16) Moments {
  float mean, squares, count, unused;
};

struct GroupNormScratch {
  Moments* moments;    // of every part of every row, and of each of its groups
  std::int32_t parts;  // of a row
};

#ifdef __CUDACC__
// Every thread of the cluster calls it; what they wrote before is then in L2, and __ldcg sees it.
__device__ __forceinline__ void meetCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();  // not started there
#endif
}

// The second of two launches starts while the first one's last blocks run: what it reads of them lies behind
// the wait.
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
void meetCluster();  // of a test that emulates CUDA on the CPU, launch after launch
inline void letNextLaunchBegin() {}
inline void awaitLaunchBefore() {}
#endif

__device__ __forceinline__ Moments momentsInL2(const Moments* p) {
  const float4 v = __ldcg(reinterpret_cast<const float4*>(p));
  return {v.x, v.y, v.z, v.w};
}

// What two sets of elements have together (Chan, Golub and LeVeque, Updating Formulae and a Pairwise
// Algorithm for Computing Sample Variances, 1979): no element is read a second time, and nothing cancels.
__device__ __forceinline__ Moments together(const Moments& a, const Moments& b) {
  const float count = a.count + b.count, share = count > 0 ? __fdividef(b.count, count) : 0.0f;
  const float distance = b.mean - a.mean;
  return {a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share, count, 0};
}

__device__ __forceinline__ float inverseOrZero(float count) {
  return count > 0 ? __fdividef(1.0f, count) : 0.0f;
}

// Of one thread's elements as they come: sums of their distances from the first of them. One pass, and what
// cancels is at most as large as the squares of the whole row times the number of this thread's elements.
struct ShiftedSums {
  float sum = 0, squares = 0;

  __device__ __forceinline__ void add(float distance) {
    sum += distance;
    squares = fmaf(distance, distance, squares);
  }
  // inverse: 1 / count, or 0 where there are none.
  __device__ __forceinline__ Moments moments(float shift, float count, float inverse) const {
    const float mean = sum * inverse, rest = squares - sum * mean;
    return {shift + mean, rest < 0 ? 0.0f : rest, count, 0};  // a NaN stays
  }
};

// Over aligned groups of kLanes lanes, in the first lane of each. Every lane of the warp must call it.
template <int kLanes>
__device__ __forceinline__ Moments momentsOfLanes(Moments m) {
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2)
    m = together(m, {fromLane(m.mean, mask), fromLane(m.squares, mask), fromLane(m.count, mask), 0});
  return m;
}

// The first lane's, in all lanes: those that the others added up differ in their last bits.
__device__ __forceinline__ Moments ofFirstLane(const Moments& m) {
  return {__shfl_sync(0xffffffffu, m.mean, 0), __shfl_sync(0xffffffffu, m.squares, 0),
          __shfl_sync(0xffffffffu, m.count, 0), 0};
}

// Over the block, in every thread; one barrier. `slots` holds 32.
__device__ __forceinline__ Moments momentsOfBlock(Moments m, Moments* slots) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  m = momentsOfLanes<32>(m);
  if (lane == 0) slots[warp] = m;
  __syncthreads();
  return ofFirstLane(momentsOfLanes<32>(lane < warps ? slots[lane] : Moments{}));
}

// A thread's share of what parts have together, `threads` of them sharing.
__device__ __forceinline__ Moments merged(const Moments* moments, int parts, int thread, int threads) {
  Moments all{};
#pragma unroll 4
  for (int i = thread; i < parts; i += threads) all = together(all, momentsInL2(moments + i));
  return all;
}

// A block for each group of each row: what its parts have together. Where a row has many parts, its blocks
// would otherwise all add them up.
__global__ void __launch_bounds__(kGroupNormMergeBlock)
    groupNormMerge(const GroupNormScratch from, Moments* to) {
  __shared__ Moments slots[32];
  const Moments all = momentsOfBlock(merged(from.moments + std::int64_t{blockIdx.x} * from.parts, from.parts,
                                            static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)),
                                     slots);
  if (threadIdx.x == 0) to[blockIdx.x] = all;
}

__device__ __forceinline__ float inverseDeviation(const Moments& m, float eps) {
  return 1.0f / sqrtf(m.squares / m.count + eps);
}

}  // namespace kadvise
