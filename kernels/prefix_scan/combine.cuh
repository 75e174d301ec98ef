// What a prefix scan combines.
#pragma once

#include "kernels/prefix_scan/launch.h"

#include <cuda_runtime.h>

#include <cmath>

namespace kadvise {

template <ScanKind kKind>
__device__ __forceinline__ float identity() {
  return kKind == ScanKind::Sum ? 0.0f : kKind == ScanKind::Product ? 1.0f : -INFINITY;
}

// NaN stays NaN, and infinities are not subtracted from each other.
__device__ __forceinline__ float logAddExp(float a, float b) {
  if (a != a || b != b) return a + b;
  const float most = fmaxf(a, b), least = fminf(a, b);
  return fabsf(most) == INFINITY ? most : most + log1pf(expf(least - most));
}

template <ScanKind kKind>
__device__ __forceinline__ float combined(float a, float b) {
  if constexpr (kKind == ScanKind::Sum) return a + b;
  if constexpr (kKind == ScanKind::Product) return a * b;
  return logAddExp(a, b);
}

// Of the lanes before this one; all: of all lanes, in every lane.
template <ScanKind kKind>
__device__ __forceinline__ float beforeLane(float own, float& all) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  float upTo = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, upTo, distance);
    if (lane >= distance) upTo = combined<kKind>(other, upTo);
  }
  all = __shfl_sync(0xffffffffu, upTo, 31);
  const float before = __shfl_up_sync(0xffffffffu, upTo, 1);
  return lane == 0 ? identity<kKind>() : before;
}

}  // namespace kadvise
