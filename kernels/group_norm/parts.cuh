// How the blocks of a row tell each other their sums.
//
// Cooperative: all blocks are resident; each publishes its own, counts itself, and waits until as many have
// as the row has parts. Blocks take the parts of the rows in order, and a row has no more parts than there
// are blocks, so whoever waits waits for blocks that are at that row, or above it and on their way. Else two
// launches, of which the second reads x again.
#pragma once

#include "kernels/common/reduce.cuh"

#include <cstdint>

namespace kadvise {

enum class GroupNormStep : std::int32_t {
  Whole,        // a row has one part
  Cooperative,  // sums, a wait, and the result
  Sums,         // the first of two launches
  Result,       // the second
};

// Of some elements: their mean, the sum of their squared distances from it, and their number.
struct alignas(16) Moments {
  float mean, squares, count, unused;
};

struct GroupNormScratch {
  Moments* moments;        // of every part of every row, and of each of its groups
  std::uint32_t* arrived;  // parts of a row; zero before the launch
};

// Every thread of the block calls it after its writes.
__device__ __forceinline__ void arrive(std::uint32_t* arrived) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(arrived, 1u);
}

// Returns when all parts have arrived; what they wrote is then in L2, and __ldcg sees it.
__device__ __forceinline__ void waitFor(const std::uint32_t* arrived, std::uint32_t parts) {
  const auto* seen = const_cast<const volatile std::uint32_t*>(arrived);
  if (threadIdx.x == 0) {
    while (*seen < parts) __nanosleep(40);
    __threadfence();
  }
  __syncthreads();
}

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

__device__ __forceinline__ float inverseDeviation(const Moments& m, float eps) {
  return 1.0f / sqrtf(m.squares / m.count + eps);
}

}  // namespace kadvise
