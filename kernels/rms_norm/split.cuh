// Rows shared by several blocks: rows too long for shared memory, and long rows of which there are too few to
// occupy the GPU. Two kernels; the second reads the row back. Block b works on row b / splits.
//
// Scratch: rows * splits sums of squares, a block's each, which are added in a fixed order.
#pragma once

#include "kernels/rms_norm/shared.cuh"

namespace kadvise {

// This block's row, and its part of it.
template <class T, int V, bool kAdd, bool kEdges>
struct RmsSplitRow {
  std::int64_t row;
  RmsRow<T, kAdd> at;
  RmsPart<T, V, kAdd, kEdges, std::int64_t> part;

  __device__ __forceinline__ RmsSplitRow(const RmsNormArgs& a, int splits)
      : row(blockIdx.x / splits),
        at(a, row),
        part(partOfRow<T, V, kEdges>(at.x, a.length, splits, static_cast<int>(blockIdx.x % splits))) {}
};

template <class T, int V, bool kAdd, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2)
    rmsNormSplitSquares(const __grid_constant__ RmsNormArgs a, int splits) {
  __shared__ float slots[32];
  const RmsSplitRow<T, V, kAdd, kEdges> mine(a, splits);
  const float thisThread = mine.part.squares(mine.at, [](std::int64_t, const Chunk<T, V>&) {});
  const float squares = sumOfBlock(thisThread, slots);
  if (threadIdx.x == 0) a.scratch[blockIdx.x] = squares;
}

template <class T, int V, bool kAdd, bool kEdges>
__global__ void __launch_bounds__(kLongestBlock, 2)
    rmsNormSplitFinish(const __grid_constant__ RmsNormArgs a, int splits) {
  __shared__ float slots[32];
  const RmsSplitRow<T, V, kAdd, kEdges> mine(a, splits);
  const float squares = sumOfParts<float>(a.scratch + mine.row * splits, splits, slots);
  const T* source = kAdd ? mine.at.sum : mine.at.x;
  const auto read = [&](std::int64_t, std::int64_t first) { return mine.part.load(source, first); };
  mine.part.finish(a, mine.at.normalized, rmsScale(squares, a), read);
}

}  // namespace kadvise
