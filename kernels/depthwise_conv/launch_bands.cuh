// Starting the kernels of bands.
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/depthwise_conv/banded.cuh"

namespace kadvise {

template <class T>
cudaError_t launchBands(const DepthwiseArgs& a, int tiles, cudaStream_t stream) {
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  return withBands(a, tiles, [&]<class Form, bool kChannelsLast>() {
    const auto p = bandPlan<kChannelsLast>(a, tiles, limits.sms, limits.sharedBytes);
    if (!p) return cudaErrorInvalidConfiguration;
    const auto kernel = [] {
      if constexpr (kChannelsLast) return depthwiseBandsOfChannels<T, Form>;
      else return depthwiseBandsOfColumns<T, Form>;
    }();
    return launchKernel(kernel, p->blocks, kBandPlanes<kChannelsLast> * 32, p->memory.bytes, stream, a, *p);
  });
}

}  // namespace kadvise
