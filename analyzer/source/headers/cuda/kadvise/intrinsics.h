// Math functions and conversions of the device.
#pragma once
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>

#define KA_F1(n) __host__ __device__ float n(float);
KA_F1(__expf) KA_F1(__exp10f) KA_F1(__logf) KA_F1(__log2f) KA_F1(__log10f) KA_F1(__sinf) KA_F1(__cosf) KA_F1(__tanf)
KA_F1(__saturatef)
KA_F1(__frcp_rn) KA_F1(__fsqrt_rn) KA_F1(__frsqrt_rn) KA_F1(rsqrtf) KA_F1(rcbrtf) KA_F1(exp10f) KA_F1(sinpif)
KA_F1(cospif) KA_F1(normcdff) KA_F1(erfinvf)
#define KA_F2(n) __host__ __device__ float n(float, float);
KA_F2(__fdividef) KA_F2(__powf) KA_F2(__fadd_rn) KA_F2(__fmul_rn) KA_F2(__fsub_rn) KA_F2(__fdiv_rn)
__host__ __device__ double rsqrt(double); __host__ __device__ double exp10(double);
__host__ __device__ double sinpi(double); __host__ __device__ double cospi(double);
__host__ __device__ inline float rsqrt(float x) { return rsqrtf(x); }
extern "C" __host__ __device__ void __sincosf(float, float *, float *) noexcept; KA_D void sincospif(float, float *,
  float *); KA_D float __fmaf_rn(float, float, float);
#define KA_BIT(R, n, A) KA_D R n(A);
KA_BIT(int, __float_as_int, float) KA_BIT(float, __int_as_float, int) KA_BIT(unsigned, __float_as_uint, float)
KA_BIT(float, __uint_as_float, unsigned)
KA_BIT(long long, __double_as_longlong, double) KA_BIT(double, __longlong_as_double, long long) KA_BIT(int, __popc,
  unsigned) KA_BIT(int, __popcll, unsigned long long)
KA_BIT(int, __clz, int) KA_BIT(int, __clzll, long long) KA_BIT(int, __ffs, int) KA_BIT(int, __ffsll, long long)
KA_BIT(unsigned, __brev, unsigned)
KA_BIT(int, __float2int_rn, float) KA_BIT(int, __float2int_rd, float) KA_BIT(int, __float2int_rz, float)
KA_BIT(float, __int2float_rn, int) KA_BIT(float, __uint2float_rn, unsigned)
KA_D int __mul24(int, int); KA_D unsigned __umul24(unsigned, unsigned); KA_D int __mulhi(int, int);
KA_D unsigned __umulhi(unsigned, unsigned);
KA_D unsigned __byte_perm(unsigned, unsigned, unsigned); KA_D int __dp4a(int, int, int);
KA_D unsigned __funnelshift_l(unsigned, unsigned, unsigned); KA_D unsigned __funnelshift_r(unsigned, unsigned,
  unsigned);
