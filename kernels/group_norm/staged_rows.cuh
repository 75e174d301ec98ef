// Group norm of channels-first memory in one launch: a block holds its part of a row in shared memory, where
// copies that nobody waits for have brought it, and the blocks of a row are a cluster.
#pragma once

#include "kernels/common/row_part.cuh"
#include "kernels/common/shared.cuh"
#include "kernels/group_norm/cluster.cuh"
#include "kernels/group_norm/row_channels.cuh"

namespace kadvise {

// A thread's chunks of a part: it alone writes and reads them, so that no barrier lies between.
template <class T, int V, bool kEdges>
struct StagedPart {
  using Part = RowPart<T, V, kEdges, int>;
  Chunk<T, V>* chunks;  // every blockDim.x-th is the thread's
  int column, length, count;

  __device__ __forceinline__ StagedPart(const T* row, const Part& part, Chunk<T, V>* memory)
      : chunks(memory + threadIdx.x),
        column((part.begin + static_cast<int>(threadIdx.x)) * V - part.shift),
        length(part.length) {
    const int left = part.end - part.begin - static_cast<int>(threadIdx.x),
              threads = static_cast<int>(blockDim.x);
    count = left <= 0 ? 0 : (left + threads - 1) / threads;
#pragma unroll 4
    for (int u = 0; u < count; ++u) {
      if (!kEdges || isWhole<V>(first(u), length)) copyAsync(&at(u), row + first(u));
      else at(u) = part.load(row, first(u));
    }
  }
  __device__ __forceinline__ Chunk<T, V>& at(int u) const { return chunks[u * static_cast<int>(blockDim.x)]; }
  __device__ __forceinline__ int first(int u) const { return column + u * static_cast<int>(blockDim.x) * V; }
};

template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 3)
    groupNormStagedRows(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p) {
  __shared__ Moments slots[32];
  const RowTask task(p, blockIdx.x);
  if (task.parts > 1) beginCluster();
  const T* const x = static_cast<const T*>(a.x) + task.row * p.length;
  auto* const memory = reinterpret_cast<Chunk<T, V>*>(dynamicShared());
  const StagedPart<T, V, kEdges> staged(x, partOfRow<T, V, kEdges, int>(x, p.length, task.parts, task.part),
                                        memory);
  const ClusterBoard board{reinterpret_cast<Moments*>(memory + p.held * p.threads), task.parts, 1};
  const ChannelsShared channels(ChannelsInMemory<T>(a, p, task.row), static_cast<int>(a.channels / a.groups),
                                reinterpret_cast<float*>(board.sets + (task.parts > 1 ? task.parts : 0)));
  awaitCopies();
  RowSums<T, V, kEdges> sums;
  if (staged.count > 0) sums.begin(staged.at(0), staged.first(0), staged.length);
#pragma unroll 4
  for (int u = 0; u < staged.count; ++u) sums.add(staged.at(u), staged.first(u), staged.length);
  Moments moments = momentsOfBlock(sums.moments(), slots);
  if (task.parts > 1) {
    awaitClusterBegun();
    if (threadIdx.x < 32) board.tellAll(task.part, 0, moments, static_cast<int>(threadIdx.x), 32);
    meetCluster();
    moments = board.together(0);
  }
  const RowScale scale(moments, a.eps);
  T* const result = static_cast<T*>(a.result) + task.row * p.length;
  withActivation<T>(a.activation, a.slope, [&](auto act) {
#pragma unroll 2
    for (int u = 0; u < staged.count; ++u)
      storeNormalized<T, V, kEdges>(a, p, staged.at(u), staged.first(u), result, channels, scale, act);
  });
}

}  // namespace kadvise
