// Math functions and conversions of the device.
#pragma once
#include <kadvise/attributes.h>
#include <kadvise/conversions.h>
#include <kadvise/vector_types.h>

#define KA_F1(n) __host__ __device__ float n(float);
KA_F1(__expf) KA_F1(__exp10f) KA_F1(__logf) KA_F1(__log2f) KA_F1(__log10f) KA_F1(__sinf) KA_F1(__cosf) KA_F1(__tanf)
KA_F1(__saturatef)
KA_F1(rsqrtf) KA_F1(rcbrtf) KA_F1(exp10f) KA_F1(sinpif)
KA_F1(cospif) KA_F1(normcdff) KA_F1(normcdfinvf) KA_F1(erfinvf) KA_F1(erfcinvf) KA_F1(erfcxf) KA_F1(cyl_bessel_i0f)
KA_F1(cyl_bessel_i1f)
#define KA_F2(n) __host__ __device__ float n(float, float);
KA_F2(__fdividef) KA_F2(__powf) KA_F2(rhypotf)
#define KA_D1(n) __host__ __device__ double n(double);
KA_D1(normcdf) KA_D1(normcdfinv) KA_D1(erfinv) KA_D1(erfcinv) KA_D1(erfcx) KA_D1(rcbrt) KA_D1(cyl_bessel_i0)
KA_D1(cyl_bessel_i1)
#define KA_NORM(n, T) KA_D T n(T, T, T); KA_D T r##n(T, T, T);
KA_NORM(norm3d, double) KA_NORM(norm3df, float) KA_D float norm4df(float, float, float, float);
KA_D double norm4d(double, double, double, double); KA_D float rnorm4df(float, float, float, float);
KA_D float normf(int, const float *); KA_D float rnormf(int, const float *); KA_D double norm(int, const double *);
KA_D double rhypot(double, double); KA_D float fdividef(float, float);
__host__ __device__ double rsqrt(double); __host__ __device__ double exp10(double);
__host__ __device__ double sinpi(double); __host__ __device__ double cospi(double);
__host__ __device__ inline float rsqrt(float x) { return rsqrtf(x); }
extern "C" __host__ __device__ void __sincosf(float, float *, float *) noexcept; KA_D void sincospif(float, float *,
  float *); KA_D void sincospi(double, double *, double *);
#define KA_BIT(R, n, A) KA_D R n(A);
KA_BIT(int, __float_as_int, float) KA_BIT(float, __int_as_float, int) KA_BIT(unsigned, __float_as_uint, float)
KA_BIT(float, __uint_as_float, unsigned)
KA_BIT(long long, __double_as_longlong, double) KA_BIT(double, __longlong_as_double, long long) KA_BIT(int, __popc,
  unsigned) KA_BIT(int, __popcll, unsigned long long)
KA_BIT(int, __clz, int) KA_BIT(int, __clzll, long long) KA_BIT(int, __ffs, int) KA_BIT(int, __ffsll, long long)
KA_BIT(unsigned, __brev, unsigned)
