// Depthwise convolution of any kernel on a GPU: the kernels of a block's channels lie in shared memory.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/pieces.cuh"
#include "kernels/common/shared.cuh"
#include "kernels/depthwise_conv/strips.h"

namespace kadvise {

template <class T>
__device__ __forceinline__ void stageTaps(const DepthwiseArgs& a, const DepthwiseStrips& p,
                                          std::int64_t firstChannel, T* taps) {
  const std::int64_t left = a.channels - firstChannel, most = p.lanes * p.channelsOfLane;
  const int channels = static_cast<int>(left < most ? left : most), of = static_cast<int>(p.taps.divisor);
  const T* const source = static_cast<const T*>(a.weight) + firstChannel * of;
  for (int i = static_cast<int>(threadIdx.x); i < channels * of; i += p.threads) {
    const int channel = static_cast<int>(p.taps.quotientOfSmall(static_cast<std::uint32_t>(i)));
    taps[(i - channel * of) * p.tapStride + channel] = source[i];
  }
}

template <class T, int kChannels, bool kSlides>
__global__ void __launch_bounds__(kDepthwiseBlock)
    depthwiseByStrips(const __grid_constant__ DepthwiseArgs a, const __grid_constant__ DepthwiseStrips p) {
  T* const taps = reinterpret_cast<T*>(dynamicShared());
  const std::int64_t firstTile = p.laneTiles.quotient(blockIdx.x),
                     laneTile = blockIdx.x - firstTile * p.laneTiles.divisor;
  const std::int64_t blockChannel = laneTile * p.lanes * p.channelsOfLane;
  stageTaps(a, p, blockChannel, taps);
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x),
            lane = a.channelsLast ? thread % p.lanes : thread / p.places,
            place = a.channelsLast ? thread / p.lanes : thread % p.places;
  const std::int64_t channel = blockChannel + lane * kChannels;
  if (lane >= p.lanes || channel >= a.channels) return;
  float bias[kChannels];
#pragma unroll
  for (int v = 0; v < kChannels; ++v)
    bias[v] = a.bias != nullptr ? toFloat(static_cast<const T*>(a.bias)[channel + v]) : 0.0f;
  const DeviceMemory<T> memory;
  const StripOfResults<DeviceMemory<T>, kChannels, kSlides> strip(a, p, memory);
  const T* const mine = taps + lane * kChannels;
  for (std::int64_t tile = firstTile; tile < p.tiles; tile += p.step) {
    const StripPlace at = stripPlace(a, p, tile, place);
    if (at.isIdle) continue;
    strip.run(
        at, channel, bias,
        [&](int tap, float(&w)[kChannels]) {
          memory.widen(*reinterpret_cast<const Piece<T, kChannels>*>(mine + tap * p.tapStride), w);
        },
        [&](auto& v) { activate<T>(a.activation, v); });
  }
}

template <class T, int kChannels>
cudaError_t launchStripsOf(const DepthwiseArgs& a, cudaStream_t stream) {
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  const DepthwiseStrips p = depthwiseStrips(a, kChannels, sizeof(T), limits.sms);
  if (p.blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  const auto kernel = sideAlong(a, p.downRows).stride == 1 ? depthwiseByStrips<T, kChannels, true>
                                                           : depthwiseByStrips<T, kChannels, false>;
  return launchKernel(kernel, p.blocks, p.threads, p.taps.divisor * p.tapStride * std::int64_t{sizeof(T)},
                      stream, a, p);
}

template <class T>
cudaError_t launchStrips(const DepthwiseArgs& a, bool byChannels, cudaStream_t stream) {
  return byChannels ? launchStripsOf<T, kDepthwiseChannels>(a, stream) : launchStripsOf<T, 1>(a, stream);
}

}  // namespace kadvise
