#pragma once
#include <kadvise_half.h>
KA_H16(__half, __half2, half, half2)
typedef __half half; typedef __half2 half2; typedef __half __nv_half; typedef __half2 __nv_half2;
typedef __half nv_half; typedef __half2 nv_half2;
KA_D __half __ushort_as_half(unsigned short); KA_D unsigned short __half_as_ushort(__half);
KA_D __half __short_as_half(short); KA_D short __half_as_short(__half);
__host__ __device__ __half2 make_half2(__half, __half);
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00u)
