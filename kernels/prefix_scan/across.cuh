// A prefix scan across rows that lie beside each other. A lane takes a chunk of columns; the warps of a block
// take a few rows each, which are read once, into registers, and tell each other what theirs add up to.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/prefix_scan/along.cuh"

namespace kadvise {

constexpr int kAcrossWarps = 8;
template <int V>
constexpr int kAcrossSteps = V == 8 ? 4 : 8;  // of a warp in a tile: what registers hold twice over

struct AcrossGrid {
  std::int64_t items;  // chunks of columns, of all rows
  Divider perRow;
};

template <class T, int V, ScanKind kKind>
__global__ void __launch_bounds__(32 * kAcrossWarps)
    scanAcross(const __grid_constant__ PrefixScanArgs a, const __grid_constant__ AcrossGrid grid) {
  constexpr int kSteps = kAcrossSteps<V>;
  __shared__ float totals[2][kAcrossWarps][V][32];  // alternate, so that one barrier a tile is enough
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * 32 + lane;
  const bool isThere = item < grid.items;  // a lane without columns takes part in the barriers
  const std::int64_t rowOfItem = grid.perRow.quotient(isThere ? item : 0);
  const std::int64_t column = isThere ? (item - rowOfItem * grid.perRow.divisor) * V : 0;
  const ScanRow<T> row(a, rowOfItem);

  float carry[V];
#pragma unroll
  for (int j = 0; j < V; ++j) carry[j] = identity<kKind>();
  int slot = 0;
  for (std::int64_t begin = 0; begin < a.steps; begin += kAcrossWarps * kSteps, slot ^= 1) {
    const std::int64_t first = begin + warp * kSteps;
    const auto stepAt = [&](int u) { return a.reverse ? a.steps - 1 - (first + u) : first + u; };
    const auto has = [&](int u) { return isThere && first + u < a.steps; };
    Chunk<T, V> chunks[kSteps] = {};
    float v[kSteps][V];
#pragma unroll
    for (int u = 0; u < kSteps; ++u) {
      if (has(u)) chunks[u] = loadColumns<(V > 1), T, V>(row.x + stepAt(u) * a.xStep, column, a.length);
    }
#pragma unroll
    for (int u = 0; u < kSteps; ++u) {
      unpack(chunks[u], v[u]);
      if (a.mask != nullptr && has(u)) applyMask(row.mask + stepAt(u) * a.maskStep, column, a.length, v[u]);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!has(u)) v[u][j] = identity<kKind>();
        if (u > 0) v[u][j] = combined<kKind>(v[u > 0 ? u - 1 : 0][j], v[u][j]);
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) totals[slot][warp][j][lane] = v[kSteps - 1][j];
    __syncthreads();
    float base[V];
#pragma unroll
    for (int w = 0; w < kAcrossWarps; ++w) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (w == warp) base[j] = carry[j];
        carry[j] = combined<kKind>(carry[j], totals[slot][w][j][lane]);
      }
    }
#pragma unroll
    for (int u = 0; u < kSteps; ++u) {
      if (!has(u)) continue;
      float y[V];
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const float upTo = a.exclusive ? v[u > 0 ? u - 1 : 0][j] : v[u][j];
        y[j] = a.exclusive && u == 0 ? base[j] : combined<kKind>(base[j], upTo);
      }
      storeColumns<(V > 1)>(row.result + stepAt(u) * a.resultStep, column, a.length, pack<T, V>(y));
    }
  }
}

}  // namespace kadvise
