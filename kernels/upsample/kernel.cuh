// Upsampling on a GPU: the kernels of one mode, in a file for each.
#pragma once

#include "kernels/common/access.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/pieces.cuh"
#include "kernels/upsample/forms.h"

namespace kadvise {

constexpr int kUpsampleBlock = 128;

template <UpsampleMode kMode, class T, class Form>
__global__ void __launch_bounds__(kUpsampleBlock, Form::kBlocks)
    upsample(const __grid_constant__ UpsampleArgs a, const __grid_constant__ UpsampleGrid grid) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kUpsampleBlock + threadIdx.x;
  if (thread >= grid.threads) return;
  const DeviceMemory<T> memory;
  MarchThread<kMode, Form, DeviceMemory<T>> work(a, grid, thread, memory);
  work.run();
}

template <UpsampleMode kMode, class T, class Form>
__global__ void __launch_bounds__(kUpsampleBlock, 5)
    upsampleWhole(const __grid_constant__ UpsampleArgs a, const __grid_constant__ WholeGrid grid) {
  const std::uint32_t thread = blockIdx.x * kUpsampleBlock + threadIdx.x;
  if (thread >= grid.threads) return;
  const DeviceMemory<T> memory;
  WholeThread<kMode, Form, DeviceMemory<T>> work(a, grid, thread, memory);
  work.run();
}

template <UpsampleMode kMode, class T>
struct LaunchUpsampleForm {
  const UpsampleArgs& a;
  cudaStream_t stream;

  template <class Form>
  cudaError_t whole() const {
    const WholeGrid grid = wholeGrid<Form>(a, areAt16Bytes(a));
    const std::int64_t blocks = ceilDiv(grid.threads, kUpsampleBlock);
    return launchKernel(upsampleWhole<kMode, T, Form>, blocks, kUpsampleBlock, 0, stream, a, grid);
  }

  template <class Form>
  cudaError_t any() const {
    const UpsampleGrid grid = upsampleGrid<Form>(a);
    const std::int64_t blocks = ceilDiv(grid.threads, kUpsampleBlock);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(upsample<kMode, T, Form>, blocks, kUpsampleBlock, 0, stream, a, grid);
  }
};

template <UpsampleMode kMode>
cudaError_t launchUpsample(const UpsampleArgs& a, cudaStream_t stream) {
  return withElementType(a.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    constexpr int kLanes = 16 / sizeof(T);
    return withUpsampleForm<kMode, kLanes>(a, LaunchUpsampleForm<kMode, T>{a, stream});
  });
}

}  // namespace kadvise
