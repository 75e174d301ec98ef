#pragma once
#include <kadvise_half.h>
KA_H16(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
KA_D __nv_bfloat16 __ushort_as_bfloat16(unsigned short); KA_D unsigned short __bfloat16_as_ushort(__nv_bfloat16);
KA_D __nv_bfloat16 __short_as_bfloat16(short); KA_D short __bfloat16_as_short(__nv_bfloat16);
typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;
__host__ __device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7Fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80u)
