#pragma once
#include <kadvise_half.h>
KA_H16(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;
KA_D __nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
