// Mean and spread of some elements, and how those of many sets are joined: by plain sums in a fixed order.
#pragma once

#include "kernels/common/reduce.cuh"

#include <cstdint>

namespace kadvise {

// Of some elements: their mean, the sum of their squared distances from it, and their number.
struct alignas(16) Moments {
  float mean, squares, count, unused;
};

// Sums of distances from a number near the mean, of elements or of whole sets. In one pass, without a
// division for each; what cancels is at most as large as the result times the number of elements or sets,
// where the number is one of them.
struct SumsAbout {
  float about = 0, sum = 0, squares = 0, count = 0;

  __device__ __forceinline__ void add(float element) {
    const float distance = element - about;
    sum += distance;
    squares = fmaf(distance, distance, squares);
  }  // who adds elements counts them by himself
  __device__ __forceinline__ void add(const Moments& set) {
    const float distance = set.mean - about, weighted = distance * set.count;
    sum += weighted;
    squares += fmaf(weighted, distance, set.squares);
    count += set.count;
  }
  // Of sums about the same number.
  __device__ __forceinline__ void add(const SumsAbout& other) {
    sum += other.sum;
    squares += other.squares;
    count += other.count;
  }
  __device__ __forceinline__ Moments moments() const {
    const float inverse = count > 0 ? __fdividef(1.0f, count) : 0.0f;
    const float distance = sum * inverse, rest = fmaf(-sum, distance, squares);
    return {about + distance, rest < 0 ? 0.0f : rest, count, 0};  // a NaN stays
  }
};

// Over aligned groups of kLanes lanes; all of them get the same bits. Every lane of the warp must call it.
template <int kLanes>
__device__ __forceinline__ SumsAbout sumsOfLanes(SumsAbout s) {
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2) {
    s.add(SumsAbout{0, fromLane(s.sum, mask), fromLane(s.squares, mask), fromLane(s.count, mask)});
  }
  return s;
}

__device__ __forceinline__ float middleOf(float a, float b, float c) {
  return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

// Over the warp's first kLanes lanes, in each of them. The first lane has elements if any has. The mean
// first, so that nothing cancels where one lane is far from all others; it is measured from one of three
// lanes that is not the farthest.
template <int kLanes>
__device__ __forceinline__ Moments momentsOfLanes(const Moments& m) {
  constexpr unsigned kAll = 0xffffffffu;
  const float first = __shfl_sync(kAll, m.mean, 0), own = m.count > 0 ? m.mean : first;
  const float about = middleOf(first, __shfl_sync(kAll, own, 1), __shfl_sync(kAll, own, 2));
  float count = m.count, sum = (m.mean - about) * m.count;
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2) {
    sum += fromLane(sum, mask);
    count += fromLane(count, mask);
  }
  const float mean = count > 0 ? about + __fdividef(sum, count) : about, distance = m.mean - mean;
  float squares = fmaf(distance * m.count, distance, m.squares);
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2) squares += fromLane(squares, mask);
  return {mean, squares, count, 0};
}

// Over the block, in every thread; one barrier. `slots` holds 32. The first thread has elements if any has.
__device__ __forceinline__ Moments momentsOfBlock(Moments m, Moments* slots) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  m = momentsOfLanes<32>(m);
  if (lane == 0) slots[warp] = m;
  __syncthreads();
  return momentsOfLanes<32>(lane < warps ? slots[lane] : Moments{});
}

__device__ __forceinline__ float inverseDeviation(const Moments& m, float eps) {
  return 1.0f / sqrtf(m.squares / m.count + eps);
}

}  // namespace kadvise
