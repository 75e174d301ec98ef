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
  } else {
    return v < 0.0f ? 0.0f : v;  // not fmaxf, which would turn NaN into 0
  }
}

}  // namespace kadvise
