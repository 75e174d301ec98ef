// The activations on a float, for tensors of T: results that 16 bits hold need not be right to the last bit
// of a float, so that the fast instructions serve them.
#pragma once

#include "kernels/common/activation.h"

#include <cuda_runtime.h>

namespace kadvise {

template <class T>
__device__ __forceinline__ float exponential(float v) {
  return sizeof(T) < 4 ? __expf(v) : expf(v);
}
template <class T>
__device__ __forceinline__ float quotient(float a, float b) {
  return sizeof(T) < 4 ? __fdividef(a, b) : a / b;
}

// v * sigmoid(t). A denominator that overflows makes it 0, as in torch; infinities give torch's NaN. The fast
// division gives 0 for denominators above 2^126, where the quotient is below 2^-119.
template <class T>
__device__ __forceinline__ float gatedBySigmoid(float v, float t) {
  return quotient<T>(v, 1.0f + exponential<T>(-t));
}

template <class T, Activation kActivation>
__device__ __forceinline__ float activated(float v) {
  if constexpr (kActivation == Activation::Silu) {
    return gatedBySigmoid<T>(v, v);
  } else if constexpr (kActivation == Activation::Gelu) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
  } else if constexpr (kActivation == Activation::GeluTanh) {
    constexpr float kTwiceRootTwoOverPi = 1.59576912160573071f;
    return gatedBySigmoid<T>(v, kTwiceRootTwoOverPi * fmaf(0.044715f * v * v, v, v));
  } else if constexpr (kActivation == Activation::QuickGelu) {
    return gatedBySigmoid<T>(v, 1.702f * v);
  } else if constexpr (kActivation == Activation::Sigmoid) {
    return quotient<T>(1.0f, 1.0f + exponential<T>(-v));
  } else if constexpr (kActivation == Activation::Relu6) {
    return v < 0.0f ? 0.0f : v > 6.0f ? 6.0f : v;
  } else if constexpr (kActivation == Activation::HardSwish) {
    return v * activated<T, Activation::Relu6>(v + 3.0f) * (1.0f / 6.0f);
  } else {
    static_assert(kActivation == Activation::Relu);
    return v < 0.0f ? 0.0f : v;  // not fmaxf, which would turn NaN into 0
  }
}

// The long ones, one time for all places of a kernel.
template <class T>
__device__ __noinline__ float activatedByCall(Activation activation, float v) {
  switch (activation) {
    case Activation::Gelu:
      return activated<T, Activation::Gelu>(v);
    case Activation::GeluTanh:
      return activated<T, Activation::GeluTanh>(v);
    case Activation::QuickGelu:
      return activated<T, Activation::QuickGelu>(v);
    default:
      return activated<T, Activation::Sigmoid>(v);
  }
}

// For kernels that do much else, and need not be compiled once for each activation.
template <class T, int N>
__device__ __forceinline__ void activate(Activation activation, float (&v)[N]) {
  const auto each = [&](auto act) {
#pragma unroll
    for (int j = 0; j < N; ++j) v[j] = act(v[j]);
  };
  switch (activation) {
    case kNoActivation:
      return;
    case Activation::Silu:
      return each(activated<T, Activation::Silu>);
    case Activation::Relu:
      return each(activated<T, Activation::Relu>);
    case Activation::Relu6:
      return each(activated<T, Activation::Relu6>);
    case Activation::HardSwish:
      return each(activated<T, Activation::HardSwish>);
    default:
      return each([&](float one) { return activatedByCall<T>(activation, one); });
  }
}

}  // namespace kadvise
