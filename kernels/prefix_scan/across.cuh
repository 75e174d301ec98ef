// A prefix scan across rows that lie beside each other. A lane takes a chunk of columns and a few steps,
// which are read once, into registers; lanes of the same columns tell each other what theirs add up to.
//
// Where there are few columns and many steps, blocks share the steps: a launch before finds what each part
// adds up to.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/prefix_scan/across_plan.h"
#include "kernels/prefix_scan/along.cuh"

namespace kadvise {

// Where a thread works.
template <class T, int V>
struct AcrossPlace {
  int columnLane, warp;
  std::int64_t item;  // chunk of columns, of all rows
  bool isThere;       // a lane without columns takes part in the barriers
  std::int64_t rowOfItem, column;
  std::int64_t part, begin, end;  // steps of the block, in the order of the scan

  __device__ __forceinline__ AcrossPlace(const PrefixScanArgs& a, const AcrossPlan& p, std::int64_t task) {
    constexpr int kLanes = kAcrossColumnLanes<V>;
    columnLane = static_cast<int>(threadIdx.x) % kLanes;
    warp = static_cast<int>(threadIdx.x) / 32;
    const std::int64_t block = p.parts.quotient(task);
    part = task - block * p.parts.divisor;
    item = block * kLanes + columnLane;
    isThere = item < p.items;
    rowOfItem = p.perRow.quotient(isThere ? item : 0);
    column = isThere ? (item - rowOfItem * p.perRow.divisor) * V : 0;
    begin = part * p.stepsOfPart;
    end = begin + p.stepsOfPart < a.steps ? begin + p.stepsOfPart : a.steps;
  }

  // Of the lanes of its columns in its warp.
  __device__ __forceinline__ bool isFirst() const { return static_cast<int>(threadIdx.x % 32) == columnLane; }
};

// What a lane reads of a tile: kAcrossSteps steps one after the other.
template <class T, int V>
struct AcrossTile {
  Chunk<T, V> chunk[kAcrossSteps];
  MaskChunk<V> mask[kAcrossSteps];

  __device__ __forceinline__ void load(const PrefixScanArgs& a, const ScanRow<T>& row, std::int64_t column,
                                       std::int64_t first, std::int64_t end) {
#pragma unroll
    for (int u = 0; u < kAcrossSteps; ++u) {
      const std::int64_t step = a.reverse ? a.steps - 1 - (first + u) : first + u;
      chunk[u] = {};
      if (first + u < end) chunk[u] = loadColumns<(V > 1), T, V>(row.x + step * a.xStep, column, a.length);
    }
    if (a.mask == nullptr) return;
#pragma unroll
    for (int u = 0; u < kAcrossSteps; ++u) {
      const std::int64_t step = a.reverse ? a.steps - 1 - (first + u) : first + u;
      if (first + u < end) mask[u].load(row.mask + step * a.maskStep, column, a.length);
    }
  }

  // The scan of the lane's own steps.
  template <ScanKind kKind>
  __device__ __forceinline__ void scan(const PrefixScanArgs& a, std::int64_t first, std::int64_t end,
                                       float (&v)[kAcrossSteps][V]) const {
#pragma unroll
    for (int u = 0; u < kAcrossSteps; ++u) {
      const bool has = first + u < end;
      unpack(chunk[u], v[u]);
      if (a.mask != nullptr && has) mask[u].apply(v[u]);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!has) v[u][j] = identity<kKind>();
        if (u > 0) v[u][j] = combined<kKind>(v[u > 0 ? u - 1 : 0][j], v[u][j]);
      }
    }
  }
};

// Of the lanes of the same columns before this one in its warp; all: of all of these, in every lane.
template <ScanKind kKind, int V>
__device__ __forceinline__ float beforeStepLane(float own, float& all) {
  constexpr int kLanes = kAcrossColumnLanes<V>;
  const int lane = static_cast<int>(threadIdx.x % 32);
  float upTo = own;
#pragma unroll
  for (int distance = kLanes; distance < 32; distance *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, upTo, distance);
    if (lane >= distance) upTo = combined<kKind>(other, upTo);
  }
  if constexpr (kLanes == 32) {
    all = upTo;
    return identity<kKind>();
  } else {
    all = __shfl_sync(0xffffffffu, upTo, 32 - kLanes + lane % kLanes);
    const float before = __shfl_up_sync(0xffffffffu, upTo, kLanes);
    return lane < kLanes ? identity<kKind>() : before;
  }
}

template <int V>
struct AcrossTotals {
  float of[2][kAcrossWarps][V][kAcrossColumnLanes<V>];  // alternate, so that one barrier a tile is enough
};

// What the parts before this block's add up to: each warp takes some of them. Uses the second of the totals,
// which nobody writes before the next barrier.
template <ScanKind kKind, class T, int V>
__device__ __forceinline__ void carryOfParts(const AcrossPlan& p, const AcrossPlace<T, V>& at,
                                             AcrossTotals<V>& totals, float (&carry)[V]) {
#pragma unroll
  for (int j = 0; j < V; ++j) carry[j] = identity<kKind>();
  if (at.part == 0) return;  // of all threads of the block
  if (at.isFirst()) {
    for (std::int64_t part = at.warp; part < at.part && at.isThere; part += kAcrossWarps) {
      const float* const left = p.totals + (part * p.items + at.item) * V;
#pragma unroll
      for (int j = 0; j < V; ++j) carry[j] = combined<kKind>(carry[j], left[j]);
    }
#pragma unroll
    for (int j = 0; j < V; ++j) totals.of[1][at.warp][j][at.columnLane] = carry[j];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < V; ++j) {
    carry[j] = identity<kKind>();
#pragma unroll
    for (int w = 0; w < kAcrossWarps; ++w)
      carry[j] = combined<kKind>(carry[j], totals.of[1][w][j][at.columnLane]);
  }
}

// What the steps of each part add up to, into p.totals: [parts, items, V].
template <class T, int V, ScanKind kKind>
__global__ void __launch_bounds__(32 * kAcrossWarps)
    scanAcrossTotals(const __grid_constant__ PrefixScanArgs a, const __grid_constant__ AcrossPlan p) {
  __shared__ AcrossTotals<V> totals;
  const AcrossPlace<T, V> at(a, p, blockIdx.x);
  const ScanRow<T> row(a, at.rowOfItem);
  const int stepLane = static_cast<int>(threadIdx.x) / kAcrossColumnLanes<V>;
  float sum[V];
#pragma unroll
  for (int j = 0; j < V; ++j) sum[j] = identity<kKind>();
  for (std::int64_t begin = at.begin; begin < at.end; begin += kAcrossTile<V>) {
    const std::int64_t first = begin + stepLane * kAcrossSteps, end = at.isThere ? at.end : 0;
    AcrossTile<T, V> tile;
    float v[kAcrossSteps][V];
    tile.load(a, row, at.column, first, end);
    tile.template scan<kKind>(a, first, end, v);
#pragma unroll
    for (int j = 0; j < V; ++j) sum[j] = combined<kKind>(sum[j], v[kAcrossSteps - 1][j]);
  }
#pragma unroll
  for (int j = 0; j < V; ++j) {
    float all;
    beforeStepLane<kKind, V>(sum[j], all);
    if (at.isFirst()) totals.of[0][at.warp][j][at.columnLane] = all;
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) != at.columnLane || !at.isThere) return;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    float all = totals.of[0][0][j][at.columnLane];
    for (int w = 1; w < kAcrossWarps; ++w) all = combined<kKind>(all, totals.of[0][w][j][at.columnLane]);
    p.totals[(at.part * p.items + at.item) * V + j] = all;
  }
}

template <class T, int V, ScanKind kKind>
__global__ void __launch_bounds__(32 * kAcrossWarps, kKind == ScanKind::LogSumExp ? 1 : kAcrossBlocks)
    scanAcross(const __grid_constant__ PrefixScanArgs a, const __grid_constant__ AcrossPlan p) {
  __shared__ AcrossTotals<V> totals;
  const std::int64_t ownFirst = static_cast<int>(threadIdx.x) / kAcrossColumnLanes<V> * kAcrossSteps;
  AcrossPlace<T, V> at(a, p, blockIdx.x);
  ScanRow<T> row(a, at.rowOfItem);
  AcrossTile<T, V> tile;  // the next one is on its way while one is added up
  tile.load(a, row, at.column, at.begin + ownFirst, at.isThere ? at.end : 0);
  float carry[V];
  carryOfParts<kKind>(p, at, totals, carry);
  std::int64_t task = blockIdx.x, begin = at.begin;
  for (int slot = 0; task < p.blocks; slot ^= 1) {
    const std::int64_t first = begin + ownFirst, end = at.isThere ? at.end : 0, column = at.column;
    T* const result = row.result;
    float v[kAcrossSteps][V], base[V];
    tile.template scan<kKind>(a, first, end, v);
    begin += kAcrossTile<V>;
    const bool ends = begin >= at.end;
    if (ends) {
      task += gridDim.x;
      if (task < p.blocks) {
        at = AcrossPlace<T, V>(a, p, task);
        row = ScanRow<T>(a, at.rowOfItem);
        begin = at.begin;
      }
    }
    if (task < p.blocks) tile.load(a, row, at.column, begin + ownFirst, at.isThere ? at.end : 0);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      float all;
      base[j] = beforeStepLane<kKind, V>(v[kAcrossSteps - 1][j], all);
      if (at.isFirst()) totals.of[slot][at.warp][j][at.columnLane] = all;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const float inWarp = base[j];
#pragma unroll
      for (int w = 0; w < kAcrossWarps; ++w) {
        if (w == at.warp) base[j] = combined<kKind>(carry[j], inWarp);
        carry[j] = combined<kKind>(carry[j], totals.of[slot][w][j][at.columnLane]);
      }
    }
#pragma unroll
    for (int u = 0; u < kAcrossSteps; ++u) {
      if (first + u >= end) continue;
      float y[V];
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const float upTo = a.exclusive ? v[u > 0 ? u - 1 : 0][j] : v[u][j];
        y[j] = a.exclusive && u == 0 ? base[j] : combined<kKind>(base[j], upTo);
      }
      const std::int64_t step = a.reverse ? a.steps - 1 - (first + u) : first + u;
      storeColumns<(V > 1)>(result + step * a.resultStep, column, a.length, pack<T, V>(y));
    }
    if (ends && task < p.blocks) {
      __syncthreads();  // the totals have been read; the first are written next
      slot = 1;
      carryOfParts<kKind>(p, at, totals, carry);
    }
  }
}

}  // namespace kadvise
