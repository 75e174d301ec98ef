// Group norm of channels-first memory in two launches, for rows that no blocks side by side can hold.
#pragma once

#include "kernels/common/row_part.cuh"
#include "kernels/group_norm/launches.cuh"
#include "kernels/group_norm/row_channels.cuh"
#include "kernels/group_norm/stream.cuh"

namespace kadvise {

// Loads ahead: of rows that are moved by elements or have edges one, since they are few and their code is
// long.
template <int V, bool kEdges>
constexpr int kAhead = V == 1 || kEdges ? 1 : kGroupNormBatch;

// A thread's chunks of a part of a row: neighbouring parts have neighbouring tiles of a chunk a thread, so
// that all blocks of a row walk through memory side by side. In order, or the last one first.
template <class T, int V, bool kEdges, bool kBackwards>
struct StreamedPart {
  const T* row;
  RowPart<T, V, kEdges, std::int64_t> all;
  std::int64_t column, step;  // of the first chunk, and from one to the next, in elements
  int count;

  __device__ __forceinline__ StreamedPart(const T* x, std::int64_t length, const RowTask& task)
      : row(x), all(wholeRow<T, V, kEdges, std::int64_t>(x, length)) {
    const std::int64_t first = std::int64_t{blockDim.x} * task.part + threadIdx.x,
                       chunks = std::int64_t{blockDim.x} * task.parts, left = all.end - first;
    count = left <= 0 ? 0 : static_cast<int>((left + chunks - 1) / chunks);
    column = first * V - all.shift;
    step = chunks * V;
    if (kBackwards && count > 0) {
      column += (count - 1) * step;
      step = -step;
    }
  }
  __device__ __forceinline__ std::int64_t first(int u) const { return column + u * step; }
  __device__ __forceinline__ Chunk<T, V> load(int u) const { return all.load(row, first(u)); }
};

// The first of two launches.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 4)
    groupNormRowMoments(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p,
                        GroupNormScratch scratch) {
  __shared__ Moments slots[32];
  letNextLaunchBegin();
  const RowTask task(p, blockIdx.x);
  const StreamedPart<T, V, kEdges, false> part(static_cast<const T*>(a.x) + task.row * p.length, p.length,
                                               task);
  RowSums<T, V, kEdges> sums;
  stream<kAhead<V, kEdges>>(
      part.count, [&](int u) { return part.load(u); },
      [&] {
        if (part.count > 0) sums.begin(part.load(0), part.first(0), p.length);
      },
      [&](const Chunk<T, V>& chunk, int u) { sums.add(chunk, part.first(u), p.length); });
  const Moments moments = momentsOfBlock(sums.moments(), slots);
  if (threadIdx.x == 0) scratch.moments[blockIdx.x] = moments;
}

// The second: scratch has the moments of some parts of each row, not necessarily of these.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 4)
    groupNormRowResults(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p,
                        GroupNormScratch scratch) {
  __shared__ Moments slots[32];
  const RowTask task(p, gridDim.x - 1 - blockIdx.x);
  const StreamedPart<T, V, kEdges, true> part(static_cast<const T*>(a.x) + task.row * p.length, p.length,
                                              task);
  T* const result = static_cast<T*>(a.result) + task.row * p.length;
  const ChannelsInMemory<T> channels(a, p, task.row);
  withActivation<T>(a.activation, a.slope, [&](auto act) {
    RowScale scale({}, 1.0f);
    stream<kAhead<V, kEdges>>(
        part.count, [&](int u) { return part.load(u); },
        [&] {
          awaitLaunchBefore();
          const Moments of = merged(scratch.moments + task.row * scratch.parts, scratch.parts,
                                    static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
          scale = RowScale(momentsOfBlock(of, slots), a.eps);
        },
        [&](const Chunk<T, V>& chunk, int u) {
          storeNormalized<T, V, kEdges>(a, p, chunk, part.first(u), result, channels, scale, act);
        });
  });
}

}  // namespace kadvise
