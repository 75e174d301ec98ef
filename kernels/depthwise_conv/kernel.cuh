// Depthwise convolution on a GPU: the weights of a block's channels go through shared memory into the
// registers of its threads, each of which then marches down its rows.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/pieces.cuh"
#include "kernels/depthwise_conv/march.h"

namespace kadvise {

// Floats of shared memory from one tap to the next: an odd number, so that neither filling by channels nor by
// taps meets one bank again and again.
KADVISE_HOST_DEVICE int tapStride(const DepthwiseTiles& t) { return t.lanes * t.channelsOfLane | 1; }

template <class T>
__device__ __forceinline__ float weightAt(const DepthwiseArgs& a, const void* weights, std::int64_t i) {
  return a.wideWeights ? static_cast<const float*>(weights)[i] : toFloat(static_cast<const T*>(weights)[i]);
}

template <class T, int kTaps>
__device__ __forceinline__ void loadWeights(const DepthwiseArgs& a, const DepthwiseTiles& t,
                                            std::int64_t firstChannel, float* weights) {
  const std::int64_t left = a.channels - firstChannel;
  const int channels =
      static_cast<int>(left < t.lanes * t.channelsOfLane ? left : t.lanes * t.channelsOfLane);
  for (int i = threadIdx.x; i < channels * kTaps; i += t.threads) {
    weights[i % kTaps * tapStride(t) + i / kTaps] = weightAt<T>(a, a.weight, firstChannel * kTaps + i);
  }
}

template <class T, class Form, int kLeastBlocks>
__global__ void __launch_bounds__(kDepthwiseBlock, kLeastBlocks)
    depthwise(const __grid_constant__ DepthwiseArgs a, const __grid_constant__ DepthwiseTiles tiles) {
  extern __shared__ float weights[];
  const DepthwisePlace place = depthwisePlace(a, tiles, blockIdx.x, static_cast<int>(threadIdx.x));
  loadWeights<T, Form::kTaps>(a, tiles, place.blockChannel, weights);
  __syncthreads();
  if (place.row >= place.endRow) return;

  float weight[Form::kTaps * Form::kChannels], bias[Form::kChannels];
#pragma unroll
  for (int v = 0; v < Form::kChannels; ++v) {
    const int channel = place.channelInBlock + v;
#pragma unroll
    for (int k = 0; k < Form::kTaps; ++k)
      weight[k * Form::kChannels + v] = weights[k * tapStride(tiles) + channel];
    bias[v] = a.bias != nullptr ? weightAt<T>(a, a.bias, place.blockChannel + channel) : 0.0f;
  }
  DepthwiseMarch<Form, DeviceMemory<T>> march(a, place, {}, weight, bias);
  march.run([&](auto& v) { activate<T>(a.activation, v); });
}

template <class T, class Form, int kLeastBlocks>
cudaError_t launchDepthwise(const DepthwiseArgs& a, cudaStream_t stream) {
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  const auto tiles =
      depthwiseTiles(a, Form::kChannels, Form::kStrip, Form::kOpen - 1, kLeastBlocks, limits.sms);
  if (tiles.blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  const std::int64_t bytes = static_cast<std::int64_t>(sizeof(float)) * Form::kTaps * tapStride(tiles);
  return launchKernel(depthwise<T, Form, kLeastBlocks>, tiles.blocks, tiles.threads, bytes, stream, a, tiles);
}

}  // namespace kadvise
