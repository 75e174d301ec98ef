// Conversions and arithmetic with a rounding of their own, and the small vectors in one register.
#pragma once
#include <kadvise/attributes.h>

#define KA_R4(R, n, ...) __host__ __device__ R n##_rn(__VA_ARGS__), n##_rz(__VA_ARGS__), n##_ru(__VA_ARGS__), \
  n##_rd(__VA_ARGS__);
#define KA_CONV(T, t) KA_R4(int, __##t##2int, T) KA_R4(unsigned, __##t##2uint, T) KA_R4(long long, __##t##2ll, T) \
  KA_R4(unsigned long long, __##t##2ull, T)
KA_CONV(float, float) KA_CONV(double, double) KA_R4(float, __double2float, double)
#define KA_BACK(T, t) KA_R4(float, __##t##2float, T) KA_R4(double, __##t##2double, T)
KA_BACK(int, int) KA_BACK(unsigned, uint) KA_BACK(long long, ll) KA_BACK(unsigned long long, ull)
#define KA_ARITHMETIC(T, p) KA_R4(T, __##p##add, T, T) KA_R4(T, __##p##sub, T, T) KA_R4(T, __##p##mul, T, T) \
  KA_R4(T, __##p##div, T, T) KA_R4(T, __##p##rcp, T) KA_R4(T, __##p##sqrt, T)
KA_ARITHMETIC(float, f) KA_ARITHMETIC(double, d) KA_R4(float, __fmaf, float, float, float)
KA_R4(double, __fma, double, double, double) KA_D float __frsqrt_rn(float);
KA_D int __double2hiint(double); KA_D int __double2loint(double); KA_D double __hiloint2double(int, int);

KA_D int __mul24(int, int); KA_D unsigned __umul24(unsigned, unsigned); KA_D int __mulhi(int, int);
KA_D unsigned __umulhi(unsigned, unsigned); KA_D long long __mul64hi(long long, long long);
KA_D unsigned long long __umul64hi(unsigned long long, unsigned long long);
KA_D int __hadd(int, int); KA_D int __rhadd(int, int); KA_D unsigned __uhadd(unsigned, unsigned);
KA_D unsigned __urhadd(unsigned, unsigned); KA_D unsigned __sad(int, int, unsigned);
KA_D unsigned __usad(unsigned, unsigned, unsigned); KA_D unsigned __fns(unsigned, unsigned, int);
KA_D unsigned long long __brevll(unsigned long long); KA_D unsigned umin(unsigned, unsigned);
KA_D unsigned umax(unsigned, unsigned); KA_D long long llmin(long long, long long);
KA_D long long llmax(long long, long long); KA_D unsigned long long ullmin(unsigned long long, unsigned long long);
KA_D unsigned long long ullmax(unsigned long long, unsigned long long);
KA_D unsigned __byte_perm(unsigned, unsigned, unsigned); KA_D unsigned __funnelshift_l(unsigned, unsigned, unsigned);
KA_D unsigned __funnelshift_r(unsigned, unsigned, unsigned); KA_D unsigned __funnelshift_lc(unsigned, unsigned, unsigned);
KA_D unsigned __funnelshift_rc(unsigned, unsigned, unsigned);
#define KA_DP(n) KA_D int n(int, int, int); KA_D unsigned n(unsigned, unsigned, unsigned);
KA_DP(__dp4a) KA_DP(__dp2a_lo) KA_DP(__dp2a_hi)
#define KA_V24(n) KA_D unsigned n##2(unsigned, unsigned); KA_D unsigned n##4(unsigned, unsigned);
KA_V24(__vadd) KA_V24(__vaddss) KA_V24(__vaddus) KA_V24(__vsub) KA_V24(__vsubss) KA_V24(__vsubus) KA_V24(__vavgs)
KA_V24(__vavgu) KA_V24(__vhaddu) KA_V24(__vmaxs) KA_V24(__vmaxu) KA_V24(__vmins) KA_V24(__vminu) KA_V24(__vsads)
KA_V24(__vsadu) KA_V24(__vabsdiffs) KA_V24(__vabsdiffu)
#define KA_VCMP(c) KA_V24(__vcmp##c) KA_V24(__vset##c)
KA_VCMP(eq) KA_VCMP(ne) KA_VCMP(ges) KA_VCMP(geu) KA_VCMP(gts) KA_VCMP(gtu) KA_VCMP(les) KA_VCMP(leu) KA_VCMP(lts)
KA_VCMP(ltu)
#define KA_V24U(n) KA_D unsigned n##2(unsigned); KA_D unsigned n##4(unsigned);
KA_V24U(__vabs) KA_V24U(__vabsss) KA_V24U(__vneg) KA_V24U(__vnegss)
// The three-operand minimum and maximum of 32-bit and of paired 16-bit numbers.
#define KA_3(n, T) KA_D T n(T, T, T); KA_D T n##_relu(T, T, T);
#define KA_3S(n) KA_3(n##_s32, int) KA_3(n##_s16x2, unsigned)
#define KA_3U(n) KA_D unsigned n##_u32(unsigned, unsigned, unsigned); KA_D unsigned n##_u16x2(unsigned, unsigned, unsigned);
KA_3S(__viaddmax) KA_3S(__viaddmin) KA_3S(__vimax3) KA_3S(__vimin3) KA_3U(__viaddmax) KA_3U(__viaddmin) KA_3U(__vimax3) KA_3U(__vimin3)
KA_D int __vimax_s32_relu(int, int); KA_D int __vimin_s32_relu(int, int); KA_D unsigned __vimax_s16x2_relu(unsigned, unsigned);
KA_D unsigned __vimin_s16x2_relu(unsigned, unsigned); KA_D int __vibmax_s32(int, int, bool *); KA_D int __vibmin_s32(int, int, bool *);
KA_D unsigned __vibmax_u32(unsigned, unsigned, bool *); KA_D unsigned __vibmin_u32(unsigned, unsigned, bool *);
KA_D unsigned __vibmax_s16x2(unsigned, unsigned, bool *, bool *); KA_D unsigned __vibmin_s16x2(unsigned, unsigned, bool *, bool *);
KA_D unsigned __vibmax_u16x2(unsigned, unsigned, bool *, bool *); KA_D unsigned __vibmin_u16x2(unsigned, unsigned, bool *, bool *);
