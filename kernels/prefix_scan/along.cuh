// A prefix scan along rows. A warp, or the warps of a block, take a row tile by tile; a tile is read once,
// into registers.
#pragma once

#include "kernels/common/vector.cuh"
#include "kernels/prefix_scan/combine.cuh"
#include "kernels/prefix_scan/mask.cuh"

namespace kadvise {

constexpr int kAlongBlock = 256;
constexpr int kAlongChunks = 4;  // of a lane in a tile
constexpr int kTilesOfWarp = 2;  // rows that a warp holds in so many tiles are its own

// That a multiprocessor has at once: registers hold two tiles of each of their threads.
constexpr int alongBlocks(int lanes) { return lanes == 8 ? 2 : 3; }

// Warps that share a row, as few as hold it in a tile: 1 to all of a block.
constexpr int warpsOfScanRow(std::int64_t length, int lanes) {
  const std::int64_t tile = std::int64_t{kAlongChunks} * 32 * lanes;
  if (length <= kTilesOfWarp * tile) return 1;
  int warps = 2;
  while (warps < kAlongBlock / 32 && warps * tile < length) warps *= 2;
  return warps;
}

template <class T>
struct ScanRow {
  const T* x;
  const bool* mask;
  T* result;

  __device__ __forceinline__ ScanRow(const PrefixScanArgs& a, std::int64_t row) {
    const RowIndex at = rowIndex(a.grid, row);
    x = static_cast<const T*>(a.x) + rowOffset(at, a.xStride);
    mask = a.mask == nullptr ? nullptr : a.mask + rowOffset(at, a.maskStride);
    result = static_cast<T*>(a.result) + rowOffset(at, a.resultStride);
  }
};

template <int V>
__device__ __forceinline__ void turnRound(float (&v)[V]) {
#pragma unroll
  for (int j = 0; j < V / 2; ++j) {
    const float kept = v[j];
    v[j] = v[V - 1 - j];
    v[V - 1 - j] = kept;
  }
}

// The scan of a thread's own elements, in place.
template <ScanKind kKind, int V>
__device__ __forceinline__ void scanOwn(float (&v)[V]) {
#pragma unroll
  for (int j = 1; j < V; ++j) v[j] = combined<kKind>(v[j - 1], v[j]);
}

// What the elements become whose own scan is v, behind `base`.
template <ScanKind kKind, int V>
__device__ __forceinline__ void finishOwn(float base, bool exclusive, float (&v)[V]) {
#pragma unroll
  for (int j = V - 1; j >= 0; --j) {
    if (!exclusive) v[j] = combined<kKind>(base, v[j]);
    else v[j] = j == 0 ? base : combined<kKind>(base, v[j > 0 ? j - 1 : 0]);
  }
}

// What a lane reads of a tile.
template <class T, int V>
struct ScanTile {
  Chunk<T, V> chunk[kAlongChunks];
  MaskChunk<V> mask[kAlongChunks];
};

// Where a chunk of a row lies: in the order of the scan, which is not that of memory where it goes backwards.
template <int V>
struct ScanOrder {
  std::int64_t length;
  bool reverse;

  __device__ __forceinline__ std::int64_t column(std::int64_t at) const {
    return reverse ? length - V - at : at;
  }
};

template <class T, int V>
__device__ __forceinline__ void loadTile(const PrefixScanArgs& a, const ScanRow<T>& row,
                                         const ScanOrder<V>& order, std::int64_t first,
                                         ScanTile<T, V>& tile) {
#pragma unroll
  for (int k = 0; k < kAlongChunks; ++k) {
    const std::int64_t at = first + k * 32 * V;
    tile.chunk[k] = {};
    if (at < a.length) tile.chunk[k] = loadColumns<(V > 1), T, V>(row.x, order.column(at), a.length);
  }
  if (a.mask == nullptr) return;
#pragma unroll
  for (int k = 0; k < kAlongChunks; ++k) {
    const std::int64_t at = first + k * 32 * V;
    if (at < a.length) tile.mask[k].load(row.mask, order.column(at), a.length);
  }
}

// warps: that share a row: 1, or all of the block, which is then as large. Blocks go from row to row, and
// what comes next is on its way while a tile is added up.
template <class T, int V, ScanKind kKind>
__global__ void __launch_bounds__(kAlongBlock, kKind == ScanKind::LogSumExp ? 2 : alongBlocks(V))
    scanAlong(const __grid_constant__ PrefixScanArgs a, int warps) {
  constexpr int kMostWarps = kAlongBlock / 32, kChunks = kAlongChunks;
  __shared__ float totals[2][kMostWarps];  // alternate, so that one barrier a tile is enough
  const int lane = static_cast<int>(threadIdx.x % 32), warpOfBlock = static_cast<int>(threadIdx.x / 32);
  const int warp = warps == 1 ? 0 : warpOfBlock;
  const std::int64_t index =
      warps == 1 ? static_cast<std::int64_t>(blockIdx.x) * kMostWarps + warpOfBlock : blockIdx.x;
  if (index >= a.grid.count) return;  // whole warps, and whole blocks where there are barriers
  const std::int64_t tileLength = static_cast<std::int64_t>(warps) * kChunks * 32 * V;
  const std::int64_t ownFirst = (static_cast<std::int64_t>(warp) * kChunks * 32 + lane) * V;
  const ScanOrder<V> order{a.length, a.reverse};

  const ScanRow<T> row(a, index);
  ScanTile<T, V> tile;
  loadTile(a, row, order, ownFirst, tile);
  float carry = identity<kKind>();
  int slot = 0;
  for (std::int64_t begin = 0; begin < a.length; slot ^= 1) {
    const std::int64_t first = begin + ownFirst;
    float v[kChunks][V], before[kChunks], all[kChunks];
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      unpack(tile.chunk[k], v[k]);
      if (a.mask != nullptr && first + k * 32 * V < a.length) tile.mask[k].apply(v[k]);
    }
    begin += tileLength;
    if (begin < a.length) loadTile(a, row, order, begin + ownFirst, tile);
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t at = first + k * 32 * V;
      if (a.reverse) turnRound(v[k]);
      if (at + V > a.length) {
#pragma unroll
        for (int j = 0; j < V; ++j)
          if (at + j >= a.length) v[k][j] = identity<kKind>();
      }
      scanOwn<kKind>(v[k]);
      before[k] = beforeLane<kKind>(v[k][V - 1], all[k]);
    }
    float total = all[0];
#pragma unroll
    for (int k = 1; k < kChunks; ++k) {
      before[k] = combined<kKind>(total, before[k]);
      total = combined<kKind>(total, all[k]);
    }
    float base = carry;
    if (warps > 1) {
      if (lane == 0) totals[slot][warp] = total;
      __syncthreads();
      for (int w = 0; w < warps; ++w) {
        if (w == warp) base = carry;
        carry = combined<kKind>(carry, totals[slot][w]);
      }
    } else {
      carry = combined<kKind>(carry, total);
    }
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t at = first + k * 32 * V;
      if (at >= a.length) continue;
      finishOwn<kKind>(combined<kKind>(base, before[k]), a.exclusive, v[k]);
      if (a.reverse) turnRound(v[k]);
      storeColumns<(V > 1)>(row.result, order.column(at), a.length, pack<T, V>(v[k]));
    }
  }
}

}  // namespace kadvise
