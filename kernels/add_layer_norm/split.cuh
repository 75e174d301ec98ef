// Rows shared by several blocks: rows too long for shared memory, and long rows of which there are too few to
// occupy the GPU. Three kernels; the second and third read the sum back. Block b works on row b / splits.
//
// Scratch: rows * splits pairs {mean of differences, squares of differences}, then rows * splits means, all
// of them a block's part of the row's figure. Everything is added in a fixed order.
#pragma once

#include "kernels/add_layer_norm/shared.cuh"

namespace kadvise {

struct SplitScratch {
  float2* spread;
  float* mean;
};
__device__ __forceinline__ SplitScratch splitScratch(const AddLayerNormArgs& a, int splits) {
  auto* spread = reinterpret_cast<float2*>(a.scratch);
  return {spread, reinterpret_cast<float*>(spread + a.grid.count * splits)};
}

// This block's row, and its part of it.
template <class T, int V, bool kEdges>
struct SplitRow {
  std::int64_t row;
  RowPointers<T> at;
  AddLayerNormPart<T, V, kEdges, std::int64_t> part;

  __device__ __forceinline__ SplitRow(const AddLayerNormArgs& a, int splits)
      : row(blockIdx.x / splits),
        at(rowPointers<T>(a, row)),
        part(partOfRow<T, V, kEdges>(at.x, a.length, splits, static_cast<int>(blockIdx.x % splits))) {}
};

template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2)
    addLayerNormSplitMean(const __grid_constant__ AddLayerNormArgs a, int splits) {
  __shared__ float slots[32];
  const SplitRow<T, V, kEdges> mine(a, splits);
  const float thisMean = mine.part.add(mine.at, [](std::int64_t, const Chunk<T, V>&) {});
  const float mean = sumOfBlock(thisMean, slots);
  if (threadIdx.x == 0) splitScratch(a, splits).mean[blockIdx.x] = mean;
}

template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2)
    addLayerNormSplitSpread(const __grid_constant__ AddLayerNormArgs a, int splits) {
  __shared__ float meanSlots[32];
  __shared__ float2 spreadSlots[32];
  const SplitRow<T, V, kEdges> mine(a, splits);
  const SplitScratch scratch = splitScratch(a, splits);
  const float mean = sumOfParts(scratch.mean + mine.row * splits, splits, meanSlots);
  const auto read = [&](std::int64_t, std::int64_t first) { return mine.part.load(mine.at.sum, first); };
  const float2 spread = sumOfBlock(mine.part.spread(mean, read), spreadSlots);
  if (threadIdx.x == 0) scratch.spread[blockIdx.x] = spread;
}

template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2)
    addLayerNormSplitFinish(const __grid_constant__ AddLayerNormArgs a, int splits) {
  __shared__ float meanSlots[32];
  __shared__ float2 spreadSlots[32];
  const SplitRow<T, V, kEdges> mine(a, splits);
  const SplitScratch scratch = splitScratch(a, splits);
  const float mean = sumOfParts(scratch.mean + mine.row * splits, splits, meanSlots);
  const float2 spread = sumOfParts(scratch.spread + mine.row * splits, splits, spreadSlots);
  const auto read = [&](std::int64_t, std::int64_t first) { return mine.part.load(mine.at.sum, first); };
  mine.part.finish(a, mine.at.normalized, normaliser(mean, spread, mine.part.share, a.eps), read);
}

}  // namespace kadvise
