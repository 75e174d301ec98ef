// Group norm of channels-first memory whose rows are so short that a warp holds each in its registers.
#pragma once

#include "kernels/common/row_part.cuh"
#include "kernels/group_norm/row_channels.cuh"

namespace kadvise {

// A block has kGroupNormWarpRows of them.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(32 * kGroupNormWarpRows, 6)
    groupNormWarpRows(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kGroupNormWarpRows + threadIdx.x / 32;
  if (row >= p.rows) return;
  const T* const x = static_cast<const T*>(a.x) + row * p.length;
  const auto part = wholeRow<T, V, kEdges>(x, p.length);
  const int lane = static_cast<int>(threadIdx.x % 32), length = part.length;
  Chunk<T, V> chunk[kGroupNormHeld];
#pragma unroll
  for (int u = 0; u < kGroupNormHeld; ++u) {
    chunk[u] = {};
    if (lane + 32 * u < part.end) chunk[u] = part.load(x, (lane + 32 * u) * V - part.shift);
  }
  const ChannelsInMemory<T> channels(a, p, row);
  RowSums<T, V, kEdges> sums;
  sums.begin(repack<T, V>(chunk[0]), lane * V - part.shift, length);
#pragma unroll
  for (int u = 0; u < kGroupNormHeld; ++u) {
    if (lane + 32 * u < part.end) sums.add(repack<T, V>(chunk[u]), (lane + 32 * u) * V - part.shift, length);
  }
  const RowScale scale(momentsOfLanes<32>(sums.moments()), a.eps);
  T* const result = static_cast<T*>(a.result) + row * p.length;
  withActivation<T>(a.activation, a.slope, [&](auto act) {
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (lane + 32 * u >= part.end) continue;
      storeNormalized<T, V, kEdges>(a, p, repack<T, V>(chunk[u]), (lane + 32 * u) * V - part.shift, result,
                                    channels, scale, act);
    }
  });
}

}  // namespace kadvise
