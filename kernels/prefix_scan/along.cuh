// A prefix scan along rows. A warp, or the warps of a block, take a row tile by tile. A tile is read once,
// into registers, and stays there as it lies in memory: floats are made of it twice, for the totals and for
// the results. So a multiprocessor has room for many threads, some of which load while others add up.
#pragma once

#include "kernels/common/vector.cuh"
#include "kernels/prefix_scan/combine.cuh"
#include "kernels/prefix_scan/mask.cuh"

namespace kadvise {

constexpr int kAlongWarps = 8;   // of a block at most
constexpr int kAlongChunks = 4;  // of a lane in a tile
constexpr int kFewChunks = 2;    // where more warps have something to do that way
constexpr int kFewWarps = 8;     // of a multiprocessor

// Blocks that a multiprocessor has at once.
constexpr int alongBlocks(ScanKind kind, bool isMasked) {
  return kind == ScanKind::LogSumExp ? 2 : isMasked ? 3 : 4;
}

struct AlongPlan {
  int chunks;  // of a lane in a tile
  int warps;   // that share a row, as few as hold it in a tile: 1 to all of a block
};

// Sums from the begin, each with its element, are what most scans are: of whole chunks they have kernels of
// their own, also one of few chunks, in which short rows of a small tensor are settled sooner.
constexpr bool mayBePlain(ScanKind kind, int lanes) { return kind == ScanKind::Sum && lanes > 1; }
inline bool isPlain(const PrefixScanArgs& a, int lanes) {
  return mayBePlain(a.kind, lanes) && !a.exclusive && !a.reverse;
}

inline AlongPlan alongPlan(const PrefixScanArgs& a, int lanes, std::int64_t sms) {
  const auto warpsWith = [&](int chunks) {
    const std::int64_t tile = std::int64_t{chunks} * 32 * lanes;
    int warps = 1;
    while (warps < kAlongWarps && warps * tile < a.length) warps *= 2;
    return warps;
  };
  const int warps = warpsWith(kAlongChunks), more = warpsWith(kFewChunks);
  const bool fitsInATile = std::int64_t{more} * kFewChunks * 32 * lanes >= a.length;
  if (isPlain(a, lanes) && fitsInATile && a.grid.count * warps <= kFewWarps * sms) return {kFewChunks, more};
  return {kAlongChunks, warps};
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

// Of all elements, in place.
template <ScanKind kKind, int V>
__device__ __forceinline__ float totalOf(float (&v)[V]) {
#pragma unroll
  for (int half = 1; half < V; half *= 2) {
#pragma unroll
    for (int j = 0; j < V; j += 2 * half) v[j] = combined<kKind>(v[j], v[j + half]);
  }
  return v[0];
}

// The scan of a thread's own elements behind `base`, in place.
template <ScanKind kKind, int V>
__device__ __forceinline__ void scanBehind(float base, bool exclusive, float (&v)[V]) {
  if constexpr (kKind == ScanKind::LogSumExp) {  // each step of which is dear
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const float upTo = combined<kKind>(base, v[j]);
      v[j] = exclusive ? base : upTo;
      base = upTo;
    }
  } else {  // only its last step rounds at the size of a result
#pragma unroll
    for (int j = 1; j < V; ++j) v[j] = combined<kKind>(v[j - 1], v[j]);
#pragma unroll
    for (int j = V - 1; j >= 0; --j) {
      if (!exclusive) v[j] = combined<kKind>(base, v[j]);
      else v[j] = j == 0 ? base : combined<kKind>(base, v[j > 0 ? j - 1 : 0]);
    }
  }
}

// Where a thread's chunks of a tile lie, in the order of the scan, which is not that of memory where it goes
// backwards.
struct ScanPlace {
  int own;     // elements of the tile before the first of them
  int step;    // elements of memory from one to the next
  int left;    // elements that the tile has of the row
  bool whole;  // as many as a tile has at most

  template <int V>
  __device__ __forceinline__ int at(int k) const {
    return own + k * 32 * V;
  }
  template <int V>
  __device__ __forceinline__ bool isInside(int k) const {
    return whole || at<V>(k) + V <= left;
  }
};

// What a thread has of a tile. Pointers are to its first chunk.
template <class T, int V, int kChunks, bool kMasked>
struct ScanTile {
  Chunk<T, V> chunk[kChunks];
  MaskChunk<V> mask[kMasked ? kChunks : 1];

  __device__ __forceinline__ void load(const ScanPlace& p, const T* x) {
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const int at = p.at<V>(k);
      chunk[k] = {};
      if (p.isInside<V>(k)) chunk[k] = loadOnce<T, V>(x + k * p.step);
      else if (V > 1 && at < p.left) chunk[k] = loadColumns<true, T, V>(x - p.own, at, p.left);
    }
  }

  __device__ __forceinline__ void loadMask(const ScanPlace& p, const bool* ones, bool isAligned) {
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t rest = p.left - p.at<V>(k);
      if (isAligned && p.isInside<V>(k)) mask[k].loadAligned(ones + k * p.step);
      else mask[k].load(ones + k * p.step, 0, rest);
    }
  }

  // The floats of a chunk, in the order of the scan.
  template <ScanKind kKind>
  __device__ __forceinline__ void values(const ScanPlace& p, int k, bool reverse, float (&v)[V]) const {
    unpack(repack<T, V>(chunk[k]), v);
    if constexpr (kMasked) mask[k].apply(v);
    if (reverse) turnRound(v);
    if (p.whole) return;
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (p.at<V>(k) + j >= p.left) v[j] = identity<kKind>();
  }

  __device__ __forceinline__ static void store(const ScanPlace& p, int k, const float (&v)[V], T* result) {
    const int at = p.at<V>(k);
    if (p.isInside<V>(k)) storeWhole(result + k * p.step, pack<T, V>(v));
    else if (V > 1 && at < p.left) storeColumns<true>(result - p.own, at, p.left, pack<T, V>(v));
  }
};

// warps: that share a row: 1, or all of the block. A tile of a row then costs a barrier.
template <class T, int V, ScanKind kKind, int kChunks, bool kMasked, bool kPlain>
__global__ void __launch_bounds__(32 * kAlongWarps, alongBlocks(kKind, kMasked))
    scanAlong(const __grid_constant__ PrefixScanArgs a, int warps) {
  __shared__ float totals[2][kAlongWarps];  // alternate, so that one barrier a tile is enough
  const int lane = static_cast<int>(threadIdx.x % 32), warpOfBlock = static_cast<int>(threadIdx.x / 32);
  const int warp = warps == 1 ? 0 : warpOfBlock;
  const std::int64_t index =
      warps == 1 ? static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + warpOfBlock : blockIdx.x;
  if (index >= a.grid.count) return;  // whole warps, and whole blocks where there are barriers
  const bool exclusive = !kPlain && a.exclusive, reverse = !kPlain && a.reverse;
  const int sign = reverse ? -1 : 1, tileLength = warps * kChunks * 32 * V;
  ScanPlace place{(warp * kChunks * 32 + lane) * V, sign * 32 * V, 0, false};
  const std::int64_t first = reverse ? a.length - V - place.own : place.own;
  const ScanRow<T> row(a, index);
  const T* x = row.x + first;
  T* result = row.result + first;
  const bool* ones = kMasked ? row.mask + first : nullptr;
  const bool isAligned = reinterpret_cast<std::uintptr_t>(ones) % V == 0;

  float carry = identity<kKind>();
  int slot = 0;
  for (std::int64_t left = a.length; left > 0; left -= tileLength, slot ^= 1) {
    place.whole = left >= tileLength;
    place.left = place.whole ? tileLength : static_cast<int>(left);
    ScanTile<T, V, kChunks, kMasked> tile;
    tile.load(place, x);
    if constexpr (kMasked) tile.loadMask(place, ones, isAligned);
    float before[kChunks], total = identity<kKind>();
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      float v[V], all;
      tile.template values<kKind>(place, k, reverse, v);
      before[k] = beforeLane<kKind>(totalOf<kKind>(v), all);
      if (k > 0) before[k] = combined<kKind>(total, before[k]);
      total = k > 0 ? combined<kKind>(total, all) : all;
    }
    float base = carry;
    if (warps > 1) {
      if (lane == 0) totals[slot][warp] = total;
      __syncthreads();
#pragma unroll
      for (int w = 0; w < kAlongWarps; ++w) {
        if (w == warp) base = carry;
        if (w < warps) carry = combined<kKind>(carry, totals[slot][w]);
      }
    } else {
      carry = combined<kKind>(carry, total);
    }
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      float v[V];
      tile.template values<kKind>(place, k, reverse, v);
      scanBehind<kKind>(combined<kKind>(base, before[k]), exclusive, v);
      if (reverse) turnRound(v);
      tile.store(place, k, v, result);
    }
    x += sign * tileLength;
    result += sign * tileLength;
    if constexpr (kMasked) ones += sign * tileLength;
  }
}

}  // namespace kadvise
