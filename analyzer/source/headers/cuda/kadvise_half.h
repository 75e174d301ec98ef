// One definition for both 16-bit types: KA_H16(__half, __half2, suffix half / half2).
#pragma once
#include <kadvise_cuda.h>
#define __CUDA_ALIGN__(n) __align__(n)
template <bool> struct ka_only {}; template <> struct ka_only<true> { typedef int type; };
template <bool B> using ka_if = typename ka_only<B>::type;
// Of the other types of 16 and 8 bits one is made in so many words alone.
#define KA_H16(H, H2, h, h2) \
  struct __align__(2) H##_raw { unsigned short x; }; struct __align__(4) H2##_raw { unsigned short x, y; }; \
  struct __align__(2) H { unsigned short v; H() = default; \
    __host__ __device__ constexpr H(H##_raw r) : v(r.x) {} __host__ __device__ operator H##_raw() const; \
    template <class T, ka_if<__is_arithmetic(T)> = 0> __host__ __device__ H(T); __host__ __device__ operator float() \
      const; \
    template <class T, ka_if<!__is_arithmetic(T)> = 0, class = decltype((float)T())> __host__ __device__ explicit H(T); \
    __host__ __device__ H &operator+=(H); __host__ __device__ H &operator-=(H); \
      __host__ __device__ H &operator*=(H); __host__ __device__ H &operator/=(H); }; \
  struct __align__(4) H2 { H x, y; H2() = default; __host__ __device__ H2(H, H); \
    __host__ __device__ H2(H2##_raw); __host__ __device__ operator H2##_raw() const; \
    __host__ __device__ H2 &operator+=(H2); __host__ __device__ H2 &operator-=(H2); __host__ __device__ H2 &operator*=(H2); \
    __host__ __device__ H2 &operator/=(H2); }; \
  KA_HB(H) KA_HB(H2) \
  __host__ __device__ H operator-(H); __host__ __device__ H operator+(H); __host__ __device__ H2 operator-(H2); \
  __host__ __device__ H operator++(H &, int); __host__ __device__ H operator--(H &, int); __host__ __device__ H2 operator+(H2); \
  __host__ __device__ H &operator++(H &); __host__ __device__ H &operator--(H &); KA_HL(H) KA_HL(H2) \
  __host__ __device__ H __float2##h(float); __host__ __device__ H __float2##h##_rn(float); \
    __host__ __device__ float __##h##2float(H); __host__ __device__ H __double2##h(double); \
  __host__ __device__ H2 __float2##h2##_rn(float); __host__ __device__ H2 __floats2##h2##_rn(float, float); \
    __host__ __device__ H2 __float22##h2##_rn(float2); __host__ __device__ float2 __##h##22float2(H2); \
  __host__ __device__ H __low2##h(H2); __host__ __device__ H __high2##h(H2); __host__ __device__ H2 __##h##2##h2(H); \
    __host__ __device__ H2 __halves2##h2(H, H); __host__ __device__ float __low2float(H2); \
    __host__ __device__ float __high2float(H2); \
  KA_H2OP(__hadd, H) KA_H2OP(__hsub, H) KA_H2OP(__hmul, H) KA_H2OP(__hdiv, H) KA_H2OP(__hmax, H) KA_H2OP(__hmin, H) \
    KA_H2OP(__hadd2, H2) KA_H2OP(__hsub2, H2) KA_H2OP(__hmul2, H2) KA_H2OP(__h2div, H2) KA_H2OP(__hmax2, H2) \
    KA_H2OP(__hmin2, H2) \
  KA_D H __hfma(H, H, H); KA_D H2 __hfma2(H2, H2, H2); KA_D bool __hlt(H, H); KA_D bool __hgt(H, H); \
    KA_D bool __heq(H, H); KA_D bool __hisnan(H); KA_D H __hneg(H); KA_D H __habs(H); KA_D H2 __hneg2(H2); \
    KA_D H2 __habs2(H2); \
  KA_D H hexp(H); KA_D H hlog(H); KA_D H hsqrt(H); KA_D H hrsqrt(H); KA_D H hrcp(H); KA_D H2 h2exp(H2); \
    KA_D H2 h2sqrt(H2); KA_D H2 h2rsqrt(H2); KA_D H2 h2rcp(H2); \
  KA_HF(H, H2, log2) KA_HF(H, H2, log10) KA_HF(H, H2, exp2) KA_HF(H, H2, exp10) KA_HF(H, H2, sin) KA_HF(H, H2, cos) \
    KA_HF(H, H2, tanh) KA_HF(H, H2, ceil) KA_HF(H, H2, floor) KA_HF(H, H2, rint) KA_HF(H, H2, trunc) KA_D H2 h2log(H2); \
  KA_HC(H, H2, eq) KA_HC(H, H2, ne) KA_HC(H, H2, le) KA_HC(H, H2, ge) KA_HC(H, H2, lt) KA_HC(H, H2, gt) \
  KA_D bool __hle(H, H); KA_D bool __hge(H, H); KA_D bool __hne(H, H); KA_D int __hisinf(H); KA_D H2 __hisnan2(H2); \
  KA_H2OP(__hadd_rn, H) KA_H2OP(__hsub_rn, H) KA_H2OP(__hmul_rn, H) KA_H2OP(__hadd_sat, H) KA_H2OP(__hmul_sat, H) \
    KA_H2OP(__hmax_nan, H) KA_H2OP(__hmin_nan, H) KA_H2OP(__hadd2_rn, H2) KA_H2OP(__hsub2_rn, H2) KA_H2OP(__hmul2_rn, H2) \
    KA_H2OP(__hadd2_sat, H2) KA_H2OP(__hmax2_nan, H2) KA_H2OP(__hmin2_nan, H2) \
  KA_D H __hfma_relu(H, H, H); KA_D H2 __hfma2_relu(H2, H2, H2); KA_D H __hfma_sat(H, H, H); \
  KA_H2OP(__lows2##h2, H2) KA_H2OP(__highs2##h2, H2) __host__ __device__ H2 __low2##h2(H2); \
    __host__ __device__ H2 __high2##h2(H2); __host__ __device__ H2 __lowhigh2highlow(H2); \
  __host__ __device__ H __float2##h##_rz(float); __host__ __device__ H __float2##h##_ru(float); \
    __host__ __device__ H __float2##h##_rd(float); \
  KA_HC(H, H2, equ) KA_HC(H, H2, neu) KA_HC(H, H2, leu) KA_HC(H, H2, geu) KA_HC(H, H2, ltu) KA_HC(H, H2, gtu) \
  KA_D bool __hequ(H, H); KA_D bool __hneu(H, H); KA_D bool __hleu(H, H); KA_D bool __hgeu(H, H); KA_D bool __hltu(H, H); \
    KA_D bool __hgtu(H, H); KA_D H htanh_approx(H); KA_D H2 h2tanh_approx(H2); KA_D H2 __hcmadd(H2, H2, H2); \
  KA_H2OP(__hsub_sat, H) KA_H2OP(__hsub2_sat, H2) KA_H2OP(__hmul2_sat, H2) KA_D H2 __hfma2_sat(H2, H2, H2); \
  KA_HN(H, h, short, short) KA_HN(H, h, ushort, unsigned short) KA_HN(H, h, int, int) KA_HN(H, h, uint, unsigned) \
  KA_HN(H, h, ll, long long) KA_HN(H, h, ull, unsigned long long) __host__ __device__ signed char __##h##2char_rz(H); \
    __host__ __device__ unsigned char __##h##2uchar_rz(H);
#define KA_HB(H) __host__ __device__ H operator+(H, H); __host__ __device__ H operator-(H, H); \
  __host__ __device__ H operator*(H, H); __host__ __device__ H operator/(H, H);
#define KA_HL(H) __host__ __device__ bool operator<(H, H); __host__ __device__ bool operator>(H, H); __host__ __device__ bool operator<=(H, H); \
  __host__ __device__ bool operator>=(H, H); __host__ __device__ bool operator==(H, H); __host__ __device__ bool operator!=(H, H);
// To whole numbers and from them, in the four roundings.
#define KA_HN(H, h, t, T) KA_HNR(H, h, t, T, rn) KA_HNR(H, h, t, T, rz) KA_HNR(H, h, t, T, ru) KA_HNR(H, h, t, T, rd)
#define KA_HNR(H, h, t, T, r) __host__ __device__ T __##h##2##t##_##r(H); __host__ __device__ H __##t##2##h##_##r(T);
#define KA_H2OP(n, H) __host__ __device__ H n(H, H);
#define KA_HF(H, H2, f) KA_D H h##f(H); KA_D H2 h2##f(H2);
#define KA_HC(H, H2, c) KA_D H2 __h##c##2(H2, H2); KA_D bool __hb##c##2(H2, H2); KA_D unsigned __h##c##2_mask(H2, H2);
