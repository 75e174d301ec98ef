#pragma once
#include <kadvise_cuda.h>
#define CUDART_INF_F __builtin_huge_valf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_INF __builtin_huge_val()
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI 3.14159265358979323846
#define CUDART_PI_F 3.141592654f
