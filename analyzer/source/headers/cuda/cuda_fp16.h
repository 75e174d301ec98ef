#pragma once
#include <kadvise_half.h>
KA_H16(__half, __half2, half, half2)
typedef __half half; typedef __half2 half2; typedef __half __nv_half; typedef __half2 __nv_half2;
typedef __half nv_half; typedef __half2 nv_half2;
KA_D __half __ushort_as_half(unsigned short); KA_D unsigned short __half_as_ushort(__half);
KA_D int __half2int_rn(__half); KA_D __half __int2half_rn(int); KA_D __half2 make_half2(__half, __half);
