// The launch between the two, where a row has many parts.
#pragma once

#include "kernels/group_norm/launches.cuh"

namespace kadvise {

constexpr int kGroupNormMergeBlock = 128;

// A block for each group of each row: what its parts have together. Where a row has many parts, its blocks
// would otherwise all add them up.
__global__ void __launch_bounds__(kGroupNormMergeBlock)
    groupNormMerge(const GroupNormScratch from, Moments* to) {
  __shared__ Moments slots[32];
  const Moments all = momentsOfBlock(merged(from.moments + std::int64_t{blockIdx.x} * from.parts, from.parts,
                                            static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)),
                                     slots);
  if (threadIdx.x == 0) to[blockIdx.x] = all;
}

}  // namespace kadvise
