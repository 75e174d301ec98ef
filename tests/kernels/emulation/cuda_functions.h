// The variables, types and functions of CUDA that kernels call, for tests/kernels/emulation/cuda.h.
#pragma once

#define threadIdx (emulation::thread->index)
#define blockIdx (emulation::block->index)
#define blockDim (emulation::shape.block)
#define gridDim (emulation::shape.grid)

struct uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct float2 {
  float x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }

inline void __syncthreads() { emulation::meet(emulation::block->all, emulation::block->alive); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulation::exchange(mask, 0); }
inline void __threadfence() {}
template <class T>
T __shfl_sync(unsigned mask, T v, int from) {
  return emulation::shuffle(mask, v, static_cast<unsigned>(from));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int o) {
  return emulation::shuffle(mask, v, emulation::laneId() ^ static_cast<unsigned>(o));
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned o) {
  const unsigned lane = emulation::laneId();
  return emulation::shuffle(mask, v, lane + o < 32 ? lane + o : lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned o) {
  const unsigned lane = emulation::laneId();
  return emulation::shuffle(mask, v, lane >= o ? lane - o : lane);
}
inline unsigned __ballot_sync(unsigned mask, int v) {
  const std::uint64_t* values = emulation::exchange(mask, v != 0);
  unsigned all = 0;
  for (unsigned i = 0; i < 32; ++i) all |= (mask >> i & 1) && values[i] ? 1u << i : 0u;
  return all;
}
inline int __any_sync(unsigned mask, int v) { return __ballot_sync(mask, v) != 0; }
inline int __all_sync(unsigned mask, int v) { return __ballot_sync(mask, v) == mask; }

// One thread runs at a time, so plain additions are atomic.
template <class T>
T atomicAdd(T* p, T v) {
  const T old = *p;
  *p = old + v;
  return old;
}
template <class T>
T atomicMax(T* p, T v) {
  const T old = *p;
  *p = std::max(old, v);
  return old;
}

inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __frcp_rn(float a) { return 1.f / a; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return std::exp(a); }
inline float __logf(float a) { return std::log(a); }
inline float rsqrtf(float a) { return 1.f / std::sqrt(a); }
inline int __popc(unsigned v) { return std::popcount(v); }
inline int __ffs(int v) { return v ? std::countr_zero(static_cast<unsigned>(v)) + 1 : 0; }
template <class T>
T __ldg(const T* p) {
  T v;
  emulation::read(&v, p, sizeof v);
  return v;
}
