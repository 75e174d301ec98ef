// Floats of eight bits and fewer, alone and as vectors in one word.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned char __nv_fp8_storage_t; typedef unsigned short __nv_fp8x2_storage_t; typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE }; enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
#define KA_NARROW(F, S) struct F { S __x; F() = default; \
  template <class T, class = decltype((float)T())> __host__ __device__ explicit F(T); \
  __host__ __device__ operator float() const; };
#define KA_NARROW_VECTOR(F, S, V) struct F { S __x; F() = default; template <class... A> __host__ __device__ explicit F(A...); \
  __host__ __device__ operator V() const; };
#define KA_FP8(e) KA_NARROW(__nv_fp8_##e, __nv_fp8_storage_t) KA_NARROW_VECTOR(__nv_fp8x2_##e, __nv_fp8x2_storage_t, float2) \
  KA_NARROW_VECTOR(__nv_fp8x4_##e, __nv_fp8x4_storage_t, float4)
KA_FP8(e4m3) KA_FP8(e5m2) KA_FP8(e8m0)
#define KA_TO_FP8(n, R, T) __host__ __device__ R __nv_cvt_##n(T, __nv_saturation_t, __nv_fp8_interpretation_t);
KA_TO_FP8(float_to_fp8, __nv_fp8_storage_t, float) KA_TO_FP8(float2_to_fp8x2, __nv_fp8x2_storage_t, float2)
KA_TO_FP8(double_to_fp8, __nv_fp8_storage_t, double) KA_TO_FP8(double2_to_fp8x2, __nv_fp8x2_storage_t, double2)
KA_TO_FP8(halfraw_to_fp8, __nv_fp8_storage_t, __half_raw) KA_TO_FP8(halfraw2_to_fp8x2, __nv_fp8x2_storage_t, __half2_raw)
KA_TO_FP8(bfloat16raw_to_fp8, __nv_fp8_storage_t, __nv_bfloat16_raw)
KA_TO_FP8(bfloat16raw2_to_fp8x2, __nv_fp8x2_storage_t, __nv_bfloat162_raw)
__host__ __device__ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t, __nv_fp8_interpretation_t);
__host__ __device__ __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t, __nv_fp8_interpretation_t);
template <class... A> __host__ __device__ __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float, A...);
__host__ __device__ __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t);
