#pragma once
#include <kadvise_cuda.h>
typedef float2 cuFloatComplex; typedef double2 cuDoubleComplex; typedef cuFloatComplex cuComplex;
// The functions of one precision: their suffix is f or nothing.
#define KA_COMPLEX(C, T, f, N) KA_HD C make_##N(T a, T b) { return {a, b}; } KA_HD T cuCreal##f(C z) { return z.x; } \
  KA_HD T cuCimag##f(C z) { return z.y; } __host__ __device__ C cuConj##f(C); __host__ __device__ C cuCadd##f(C, C); \
  __host__ __device__ C cuCsub##f(C, C); __host__ __device__ C cuCmul##f(C, C); __host__ __device__ C cuCdiv##f(C, C); \
  __host__ __device__ T cuCabs##f(C); __host__ __device__ C cuCfma##f(C, C, C);
KA_COMPLEX(cuFloatComplex, float, f, cuFloatComplex) KA_COMPLEX(cuDoubleComplex, double, , cuDoubleComplex)
KA_HD cuComplex make_cuComplex(float a, float b) { return {a, b}; }
__host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex);
__host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex);
