// Pooling on a GPU: the kernels of one kind, in a file for each.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/pieces.cuh"
#include "kernels/pool/forms.h"

#include <cstring>

namespace kadvise {

constexpr int kAnyPoolBlock = 128;

template <PoolKind kKind, class T>
__global__ void __launch_bounds__(kAnyPoolBlock, 5)
    pool(const __grid_constant__ PoolArgs a, const __grid_constant__ PoolGrid grid) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kAnyPoolBlock + threadIdx.x;
  if (thread >= grid.threads) return;
  const PoolPlace place = poolPlace(a, grid, thread);
  PoolThread<kKind, DeviceMemory<T>> work(a, place, {});
  work.run([&](auto& v) { activate<T>(a.activation, v); });
}

template <PoolKind kKind, class T, class Form>
__global__ void __launch_bounds__(kTileBlock, Form::kBlocksOfSm)
    poolTiles(const __grid_constant__ PoolArgs a, const __grid_constant__ TileGrid grid) {
  extern __shared__ __align__(16) float shared[];
  const DeviceMemory<T> memory;
  const TileThread<kKind, Form, DeviceMemory<T>> work(a, grid, blockIdx.x, static_cast<int>(threadIdx.x),
                                                      shared, memory);
  work.columnsOfX();
  __syncthreads();
  work.rowsOfSums([&](auto& v) { activate<T>(a.activation, v); });
}

// The edge of the lane before, or of the one behind. Elements of 16 bits of two rows travel together.
enum class PoolSide { Before, Behind };
template <PoolSide kSide, class Edge>
__device__ __forceinline__ Edge edgeOfLane(const Edge& mine) {
  std::uint32_t word[(sizeof(Edge) + 3) / 4] = {};
  std::memcpy(word, &mine, sizeof(Edge));
#pragma unroll
  for (std::uint32_t& one : word)
    one = kSide == PoolSide::Before ? __shfl_up_sync(0xffffffffu, one, 1)
                                    : __shfl_down_sync(0xffffffffu, one, 1);
  Edge theirs;
  std::memcpy(&theirs, word, sizeof(Edge));
  return theirs;
}

template <PoolKind kKind, class T, class Form>
__global__ void __launch_bounds__(kPoolBlock<Form>.threads, kPoolBlock<Form>.ofSm)
    poolColumns(const __grid_constant__ PoolArgs a, const __grid_constant__ SquareGrid grid) {
  using Thread = ColumnThread<kKind, Form, DeviceMemory<T>>;
  const DeviceMemory<T> memory;
  Thread work(a, grid, blockIdx.x * kPoolBlock<Form>.threads + threadIdx.x, memory);
  for (int step = 0; step < work.steps(); ++step) {
    work.read();
    typename Thread::Edge left{}, right{};
    if constexpr (Form::kPad > 0) left = edgeOfLane<PoolSide::Before>(work.lastColumn());
    if constexpr (Form::kRight > 0) right = edgeOfLane<PoolSide::Behind>(work.firstColumn());
    work.write(left, right, [&](auto& v) { activate<T>(a.activation, v); });
  }
}

template <PoolKind kKind, class T, class Form>
__global__ void __launch_bounds__(kPoolBlock<Form>.threads, kPoolBlock<Form>.ofSm)
    poolChannels(const __grid_constant__ PoolArgs a, const __grid_constant__ SquareGrid grid) {
  const std::uint32_t thread = blockIdx.x * kPoolBlock<Form>.threads + threadIdx.x;
  if (thread >= grid.threads) return;
  const DeviceMemory<T> memory;
  ChannelThread<kKind, Form, DeviceMemory<T>> work(a, grid, thread, memory);
  work.run([&](auto& v) { activate<T>(a.activation, v); });
}

template <PoolKind kKind, class T>
struct LaunchPoolForm {
  cudaStream_t stream;

  template <class Form>
  cudaError_t columns(const PoolArgs& a) const {
    constexpr std::int64_t kEnoughOfSm = 512;  // to hide what memory takes
    DeviceLimits device;
    if (const auto error = readLimits(device)) return error;
    const int run = columnRun<Form>(a, device.sms * kEnoughOfSm);
    return launch<Form>(poolColumns<kKind, T, Form>, a, columnGrid<Form>(a, run));
  }

  template <class Form>
  cudaError_t channels(const PoolArgs& a) const {
    DeviceLimits device;
    if (const auto error = readLimits(device)) return error;
    constexpr PoolBlock kBlock = kPoolBlock<Form>;
    const std::int64_t atOnce = std::int64_t{device.sms} * kBlock.ofSm * kBlock.threads;
    const int run = channelRun<kKind, Form>(a, atOnce);
    return launch<Form>(poolChannels<kKind, T, Form>, a, channelGrid<Form>(a, run));
  }

  template <class Form>
  cudaError_t tiles(const PoolArgs& a) const {
    const TileGrid grid = tileGrid<Form>(a);
    if (grid.blocks == 0) return any(a);
    const std::int64_t bytes = grid.sharedElements() * std::int64_t{sizeof(float)};
    return launchKernel(poolTiles<kKind, T, Form>, grid.blocks, kTileBlock, bytes, stream, a, grid);
  }

 private:
  cudaError_t any(const PoolArgs& a) const {
    const PoolGrid grid = poolGrid(a);
    const std::int64_t blocks = ceilDiv(grid.threads, kAnyPoolBlock);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return launchKernel(pool<kKind, T>, blocks, kAnyPoolBlock, 0, stream, a, grid);
  }

  template <class Form>
  cudaError_t launch(void (*kernel)(PoolArgs, SquareGrid), const PoolArgs& a, const SquareGrid& grid) const {
    constexpr int kThreads = kPoolBlock<Form>.threads;
    return launchKernel(kernel, ceilDiv(grid.threads, kThreads), kThreads, 0, stream, a, grid);
  }
};

template <PoolKind kKind>
cudaError_t launchPool(const PoolArgs& a, cudaStream_t stream) {
  return withElementType(a.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    constexpr int kLanes = 16 / sizeof(T);
    const bool byChannels = a.channelsLast && a.channels % kLanes == 0 && areAt16Bytes(a);
    return withPoolForm<kLanes>(a, byChannels, LaunchPoolForm<kKind, T>{stream});
  });
}

}  // namespace kadvise
