// Which elements of x an element of the result is made of along one dimension, and with which weights: as
// torch's CUDA kernels compute both, in float. Whatever ratio comes, the elements lie within x.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/upsample/launch.h"

#include <cmath>

namespace kadvise {

template <UpsampleMode kMode>
constexpr int kTaps = kMode == UpsampleMode::Nearest    ? 1
                      : kMode == UpsampleMode::Bilinear ? 2
                                                        : 4;

// Of neighbours: the first, which may lie ahead of x, as the others may lie behind it.
template <UpsampleMode kMode>
struct Taps {
  std::int32_t first;
  float weight[kTaps<kMode>];
};

// Rounded down; what is no number, or none of x, becomes the nearest end. Of sizes above 2^24, which floats
// may round up, that may lie behind x.
KADVISE_HOST_DEVICE std::int32_t elementAt(float position, std::int32_t size) {
  return static_cast<std::int32_t>(fminf(fmaxf(position, 0.0f), static_cast<float>(size - 1)));
}

// Elements out of x are its first or last.
KADVISE_HOST_DEVICE std::int32_t within(std::int32_t at, std::int32_t size) {
  return at < 0 ? 0 : at < size ? at : size - 1;
}

KADVISE_HOST_DEVICE void findTaps(const UpsampleDim& d, std::int32_t i, Taps<UpsampleMode::Nearest>& taps) {
  // Floats count to 2^24 only: elements that stay are not asked for their place.
  const float position = (static_cast<float>(i) + d.center) * d.ratio;
  taps.first = d.ratio == 1.0f ? within(i, d.size) : elementAt(position, d.size);
  taps.weight[0] = 1.0f;
}

KADVISE_HOST_DEVICE void findTaps(const UpsampleDim& d, std::int32_t i, Taps<UpsampleMode::Bilinear>& taps) {
  const float position = d.ratio * (static_cast<float>(i) + d.center) - d.center;
  taps.first = elementAt(position, d.size);
  taps.weight[1] = fminf(fmaxf(position - static_cast<float>(taps.first), 0.0f), 1.0f);
  taps.weight[0] = 1.0f - taps.weight[1];
}

// Keys' cubic convolution of parameter A: near the middle, and from 1 to 2 elements away.
constexpr float kCubicA = -0.75f;
KADVISE_HOST_DEVICE float cubicNear(float t) {
  return ((kCubicA + 2.0f) * t - (kCubicA + 3.0f)) * t * t + 1.0f;
}
KADVISE_HOST_DEVICE float cubicFar(float t) {
  return ((kCubicA * t - 5.0f * kCubicA) * t + 8.0f * kCubicA) * t - 4.0f * kCubicA;
}

KADVISE_HOST_DEVICE void findTaps(const UpsampleDim& d, std::int32_t i, Taps<UpsampleMode::Bicubic>& taps) {
  const float position = d.ratio * (static_cast<float>(i) + d.center) - d.center;
  const float below = floorf(position), t = position - below;
  // Behind the last element, where a size is more than the factor makes of x, all four taps are that one.
  taps.first = (position < 0.0f ? -1 : elementAt(below, d.size + 2)) - 1;
  taps.weight[0] = cubicFar(t + 1.0f);
  taps.weight[1] = cubicNear(t);
  taps.weight[2] = cubicNear(1.0f - t);
  taps.weight[3] = cubicFar(2.0f - t);
}

}  // namespace kadvise
