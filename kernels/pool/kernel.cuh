// Pooling on a GPU: the kernels of one kind, in a file for each.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/pieces.cuh"
#include "kernels/pool/forms.h"

namespace kadvise {

constexpr int kPoolBlock = 128;

inline bool areAligned(const PoolArgs& a) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  return aligned(a.x) && aligned(a.result);
}

template <PoolKind kKind, class T, class Form>
__global__ void __launch_bounds__(kPoolBlock, 5)
    pool(const __grid_constant__ PoolArgs a, const __grid_constant__ PoolGrid grid) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kPoolBlock + threadIdx.x;
  if (thread >= grid.threads) return;
  const PoolPlace place = poolPlace(a, grid, thread, Form::kChannels);
  PoolThread<kKind, Form, DeviceMemory<T>> work(a, place, {});
  work.run([&](auto& v) { activate<T>(a.activation, v); });
}

template <PoolKind kKind, class T, class Form>
__global__ void __launch_bounds__(kPoolBlock, 5)
    poolSquares(const __grid_constant__ PoolArgs a, const __grid_constant__ SquareGrid grid) {
  const std::uint32_t thread = blockIdx.x * kPoolBlock + threadIdx.x;
  if (thread >= grid.threads) return;
  const DeviceMemory<T> memory;
  SquareThread<kKind, Form, DeviceMemory<T>> work(a, grid, thread, memory);
  work.run([&](auto& v) { activate<T>(a.activation, v); });
}

template <PoolKind kKind, class T>
struct LaunchPoolForm {
  const PoolArgs& a;
  cudaStream_t stream;

  template <class Form>
  cudaError_t square() const {
    const SquareGrid grid = squareGrid<Form>(a, areAligned(a));
    const std::int64_t blocks = poolCeil(grid.threads, kPoolBlock);
    return launchKernel(poolSquares<kKind, T, Form>, blocks, kPoolBlock, 0, stream, a, grid);
  }

  template <class Form>
  cudaError_t any() const {
    const PoolGrid grid = poolGrid(a, Form::kChannels);
    const std::int64_t blocks = poolCeil(grid.threads, kPoolBlock);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(pool<kKind, T, Form>, blocks, kPoolBlock, 0, stream, a, grid);
  }
};

template <PoolKind kKind>
cudaError_t launchPool(const PoolArgs& a, cudaStream_t stream) {
  return withElementType(a.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    constexpr int kLanes = 16 / sizeof(T);
    const bool byChannels = a.channelsLast && a.channels % kLanes == 0 && areAligned(a);
    return withPoolForm<kLanes>(a, byChannels, LaunchPoolForm<kKind, T>{a, stream});
  });
}

}  // namespace kadvise
