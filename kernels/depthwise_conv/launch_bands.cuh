// Starting the kernel of bands.
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/depthwise_conv/banded.cuh"

namespace kadvise {

template <class T, bool kChannelsLast, int kStride, int kTiles>
cudaError_t launchBandsOf(const DepthwiseArgs& a, cudaStream_t stream) {
  DeviceLimits limits;
  if (const auto error = readLimits(limits)) return error;
  const auto p = bandPlan<kChannelsLast>(a, kTiles, limits.sms, limits.sharedBytes);
  if (!p) return cudaErrorInvalidConfiguration;
  const auto kernel = [] {
    if constexpr (kChannelsLast) return depthwiseBandsOfChannels<T, kTiles>;
    else return depthwiseBandsOfColumns<T, kStride, kTiles>;
  }();
  return launchKernel(kernel, p->blocks, kBandPlanes<kChannelsLast> * 32, p->memory.bytes, stream, a, *p);
}

// `tiles`: of bandTiles(), which are 7 for a stride of 1 only: others have not the shared memory.
template <class T>
cudaError_t launchBands(const DepthwiseArgs& a, int tiles, cudaStream_t stream) {
  const auto ofTiles = [&]<bool kChannelsLast, int kStride>() {
    if constexpr (kStride == 1) {
      if (tiles == 7) return launchBandsOf<T, kChannelsLast, kStride, 7>(a, stream);
    }
    return tiles == 4 ? launchBandsOf<T, kChannelsLast, kStride, 4>(a, stream)
                      : launchBandsOf<T, kChannelsLast, kStride, 2>(a, stream);
  };
  if (a.channelsLast) return ofTiles.template operator()<true, 1>();
  return a.strideColumns == 1 ? ofTiles.template operator()<false, 1>()
                              : ofTiles.template operator()<false, 2>();
}

}  // namespace kadvise
