// A prefix scan along rows. A warp, or the warps of a block, take a row tile by tile; a tile is read once,
// into registers.
#pragma once

#include "kernels/common/vector.cuh"
#include "kernels/prefix_scan/combine.cuh"

namespace kadvise {

constexpr int kAlongBlock = 256;
constexpr int kAlongChunks = 4;  // of a lane in a tile

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

// x * mask, at a chunk of a row.
template <int V>
__device__ __forceinline__ void applyMask(const bool* mask, std::int64_t first, std::int64_t length,
                                          float (&v)[V]) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const std::int64_t column = first + j;
    if (column >= 0 && column < length) v[j] *= mask[column] ? 1.0f : 0.0f;
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

// warps: that share a row, 1 or all of the block.
template <class T, int V, ScanKind kKind>
__global__ void __launch_bounds__(kAlongBlock)
    scanAlong(const __grid_constant__ PrefixScanArgs a, int warps) {
  constexpr int kWarps = kAlongBlock / 32, kChunks = kAlongChunks;
  __shared__ float totals[2][kWarps];  // alternate, so that one barrier a tile is enough
  const int lane = static_cast<int>(threadIdx.x % 32), warpOfBlock = static_cast<int>(threadIdx.x / 32);
  const int warp = warps == 1 ? 0 : warpOfBlock;
  const std::int64_t rowIndexOfWarp =
      warps == 1 ? static_cast<std::int64_t>(blockIdx.x) * kWarps + warpOfBlock : blockIdx.x;
  if (rowIndexOfWarp >= a.grid.count) return;  // whole warps, and whole blocks where there are barriers
  const ScanRow<T> row(a, rowIndexOfWarp);
  const std::int64_t tile = static_cast<std::int64_t>(warps) * kChunks * 32 * V;

  float carry = identity<kKind>();
  int slot = 0;
  for (std::int64_t begin = 0; begin < a.length; begin += tile, slot ^= 1) {
    Chunk<T, V> chunks[kChunks] = {};
    float v[kChunks][V], before[kChunks], all[kChunks];
    // In the order of the scan, which is not that of memory where it goes backwards.
    const auto position = [&](int k) {
      return begin + ((static_cast<std::int64_t>(warp) * kChunks + k) * 32 + lane) * V;
    };
    const auto columnOf = [&](std::int64_t at) { return a.reverse ? a.length - V - at : at; };
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      if (position(k) < a.length)
        chunks[k] = loadColumns<(V > 1), T, V>(row.x, columnOf(position(k)), a.length);
    }
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      unpack(chunks[k], v[k]);
      if (a.mask != nullptr) applyMask(row.mask, columnOf(position(k)), a.length, v[k]);
      if (a.reverse) turnRound(v[k]);
      if (position(k) + V > a.length) {
#pragma unroll
        for (int j = 0; j < V; ++j)
          if (position(k) + j >= a.length) v[k][j] = identity<kKind>();
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
      for (int w = 0; w < kWarps; ++w) {
        if (w == warp) base = carry;
        carry = combined<kKind>(carry, totals[slot][w]);
      }
    } else {
      carry = combined<kKind>(carry, total);
    }
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      if (position(k) >= a.length) continue;
      finishOwn<kKind>(combined<kKind>(base, before[k]), a.exclusive, v[k]);
      if (a.reverse) turnRound(v[k]);
      storeColumns<(V > 1)>(row.result, columnOf(position(k)), a.length, pack<T, V>(v[k]));
    }
  }
}

}  // namespace kadvise
