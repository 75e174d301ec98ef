// Every kernel there is for one dtype: included by a file for each dtype, so that they compile side by side.
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/grouped_conv/kernel.cuh"

namespace kadvise {

template <class T>
cudaError_t launchGroupedConv(const GroupedConvArgs& a, const GroupedPlan& p, cudaStream_t stream) {
  return withGroupedForm(a, p, [&]<int kTaps, int kPixels, int kTiles>() {
    return launchKernel(groupedConv<T, kTaps, kPixels, kTiles>, p.blocks, p.warps * 32, sharedBytes(p),
                        stream, a, p);
  });
}

}  // namespace kadvise
