// The activations on a float, for tensors of T: results that 16 bits hold need not be right to the last bit
// of a float, so that the fast instructions serve them.
#pragma once

#include "kernels/common/activation.h"

#include <cuda_runtime.h>

namespace kadvise {

// Of 16 bits: single instructions, which flush denormals. exp(v) counts only beside 1 here, and a quotient
// below 2^-126 is zero in 16 bits, too.
template <class T>
__device__ __forceinline__ float exponential(float v) {
#ifdef __CUDACC__
  if constexpr (sizeof(T) < 4) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(v * 1.44269504088896341f));
    return result;
  }
#endif
  return expf(v);
}
template <class T>
__device__ __forceinline__ float quotient(float a, float b) {
#ifdef __CUDACC__
  float inverse;  // right to a unit in its last place
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  return a * inverse;
#else
  return a / b;
#endif
}

// v * sigmoid(t). A denominator that overflows makes it 0, as in torch; infinities give torch's NaN. The fast
// division gives 0 for denominators above 2^126.
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

// Calls work(function of a float) with the activation: outside of unrolled loops, so that a thread fetches
// the instructions of one of them only. For kernels that do much else, and need not be compiled once for
// each.
template <class T, class Work>
__device__ __forceinline__ void withActivation(Activation activation, Work work) {
  switch (activation) {
    case kNoActivation:
      return work([](float v) { return v; });
    case Activation::Silu:
      return work(activated<T, Activation::Silu>);
    case Activation::Relu:
      return work(activated<T, Activation::Relu>);
    case Activation::Relu6:
      return work(activated<T, Activation::Relu6>);
    case Activation::HardSwish:
      return work(activated<T, Activation::HardSwish>);
    default:
      return work([&](float one) { return activatedByCall<T>(activation, one); });
  }
}

// The same of an operator that takes a slope.
template <class T, class Work>
__device__ __forceinline__ void withActivation(Activation activation, float slope, Work work) {
  if (activation == Activation::LeakyRelu) return work([slope](float v) { return v < 0.0f ? v * slope : v; });
  withActivation<T>(activation, work);
}

template <class T, int N>
__device__ __forceinline__ void activate(Activation activation, float (&v)[N]) {
  withActivation<T>(activation, [&](auto act) {
#pragma unroll
    for (int j = 0; j < N; ++j) v[j] = act(v[j]);
  });
}

}  // namespace kadvise
