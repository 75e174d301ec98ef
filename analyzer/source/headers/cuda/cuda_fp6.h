#pragma once
#include <cuda_fp4.h>
typedef unsigned char __nv_fp6_storage_t; typedef unsigned short __nv_fp6x2_storage_t;
KA_NARROW(__nv_fp6_e2m3, __nv_fp6_storage_t) KA_NARROW(__nv_fp6_e3m2, __nv_fp6_storage_t)
