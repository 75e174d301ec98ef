// Sums over the threads that share a row. The order is fixed, so equal inputs give equal bits, and every
// thread of the row gets the same bits.
#pragma once

#include <cuda_runtime.h>

namespace kadvise {

__device__ __forceinline__ float plus(float a, float b) { return a + b; }
__device__ __forceinline__ float2 plus(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }

__device__ __forceinline__ float fromLane(float v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
__device__ __forceinline__ float2 fromLane(float2 v, int mask) {
  return {fromLane(v.x, mask), fromLane(v.y, mask)};
}

// Over aligned groups of kThreads lanes (a power of two up to 32). Every lane of the warp must call it.
template <int kThreads, class Value>
__device__ __forceinline__ Value sumOfLanes(Value v) {
#pragma unroll
  for (int mask = kThreads / 2; mask > 0; mask /= 2) v = plus(v, fromLane(v, mask));
  return v;
}

// Over the block, whose size is a multiple of 32; one barrier. `slots` holds 32 values in shared memory. Two
// calls in turn need different slots: the barrier of the second is what tells that everyone has read those of
// the first.
template <class Value>
__device__ __forceinline__ Value sumOfBlock(Value v, Value* slots) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  v = sumOfLanes<32>(v);
  if (lane == 0) slots[warp] = v;
  __syncthreads();
  // Few are added by everyone: reads in flight together and a short chain, against five rounds of exchange.
  constexpr int kFewWarps = 4;
  if (warps <= kFewWarps) {
    v = slots[0];
#pragma unroll
    for (int w = 1; w < kFewWarps; ++w) v = plus(v, w < warps ? slots[w] : Value{});
    return v;
  }
  v = lane < warps ? slots[lane] : Value{};
  return sumOfLanes<32>(v);
}

// Over the threads of a row: kThreads lanes, or the whole block when kThreads is 0.
template <int kThreads, class Value>
__device__ __forceinline__ Value sumOfRow(Value v, Value* slots) {
  if constexpr (kThreads > 0) {
    return sumOfLanes<kThreads>(v);
  } else {
    return sumOfBlock(v, slots);
  }
}

}  // namespace kadvise
