#pragma once
#include <kadvise_half.h>
KA_H16(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
KA_D __nv_bfloat16 __ushort_as_bfloat16(unsigned short); KA_D unsigned short __bfloat16_as_ushort(__nv_bfloat16);
KA_D int __bfloat162int_rn(__nv_bfloat16); KA_D __nv_bfloat16 __int2bfloat16_rn(int);
typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;
KA_D __nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
