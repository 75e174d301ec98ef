// Every kernel there is for one dtype: included by a file for each dtype, so that they compile side by side.
#pragma once

#include "kernels/depthwise_conv/forms.h"
#include "kernels/depthwise_conv/kernel.cuh"
#include "kernels/depthwise_conv/launch_bands.cuh"
#include "kernels/depthwise_conv/strips.cuh"

namespace kadvise {

template <class T>
bool goesByChannels(const DepthwiseArgs& a) {
  const auto aligned = [](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % (kDepthwiseChannels * sizeof(T)) == 0;
  };
  const auto whole = [](std::int64_t step) { return step % kDepthwiseChannels == 0; };
  return a.channelsLast && whole(a.channels) && whole(a.steps.image) && whole(a.steps.row) &&
         whole(a.steps.column) && aligned(a.x) && aligned(a.result);
}

// A multiprocessor has 65536 registers: 128 or 168 for each thread. Elements of 32 bits take more of them on
// their way.
template <class T, class Form>
constexpr int kDepthwiseLeastBlocks =
    Form::kTaps * Form::kChannels >= (sizeof(T) == 4 && Form::kChannels > 1 ? 36 : 51) ? 3 : 4;

template <class T>
struct LaunchDepthwiseForm {
  const DepthwiseArgs& a;
  cudaStream_t stream;

  template <class Form>
  cudaError_t operator()() const {
    return launchDepthwise<T, Form, kDepthwiseLeastBlocks<T, Form>>(a, stream);
  }
};

template <class T>
cudaError_t launchDepthwiseForms(const DepthwiseArgs& a, cudaStream_t stream) {
  const bool byChannels = goesByChannels<T>(a);
  if constexpr (sizeof(T) == 2) {
    const int tiles = isDense(a) ? bandTiles(a) : 0;
    if (tiles > 0 && bandsPay(a) && !a.wideWeights) return launchBands<T>(a, tiles, stream);
  }
  const auto launched =
      withDepthwiseForm(a, byChannels, std::optional<cudaError_t>(), LaunchDepthwiseForm<T>{a, stream});
  if (launched) return *launched;
  return a.wideWeights ? cudaErrorInvalidValue : launchStrips<T>(a, byChannels, stream);
}

}  // namespace kadvise
