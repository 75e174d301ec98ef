// Force-included after clang's CUDA wrapper: declares what nvcc has built in and clang 19 lacks.
// Declarations only; the result is never code-generated.
#pragma once
#if defined(__CUDA__) && defined(__CUDACC__) && !defined(KADVISE_CUDA_STUB)
#include <cassert>
#include <cmath>
#include <ctime>
using std::isfinite; using std::isinf; using std::isnan;

// clang 19 only warns about these two; rules that need them watch the macro expansion.
#undef __grid_constant__
#define __grid_constant__
#undef __cluster_dims__
#define __cluster_dims__(...)

// cooperative_groups hides clusters unless nvcc's version macros say so.
#ifndef _CG_HAS_CLUSTER_GROUP
#define _CG_HAS_CLUSTER_GROUP
#endif

// Cache-hinted loads and stores (clang blocks sm_32_intrinsics.hpp).
#define KA_LD(n) template <class T> __device__ T n(const T *);
KA_LD(__ldcs) KA_LD(__ldcg) KA_LD(__ldca) KA_LD(__ldcv) KA_LD(__ldlu)
#define KA_ST(n) template <class T, class U> __device__ void n(T *, U);
KA_ST(__stcs) KA_ST(__stcg) KA_ST(__stwb) KA_ST(__stwt)
#undef KA_LD
#undef KA_ST

// Surface access.
#define KA_SR(n, ...) \
  template <class T> __device__ void n(T *, cudaSurfaceObject_t, __VA_ARGS__, \
    cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T> __device__ T n(cudaSurfaceObject_t, __VA_ARGS__, \
    cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
#define KA_SW(n, ...) \
  template <class T> __device__ void n(T, cudaSurfaceObject_t, __VA_ARGS__, \
    cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
KA_SR(surf1Dread, int) KA_SR(surf2Dread, int, int) KA_SR(surf3Dread, int, int, int) KA_SR(surf2DLayeredread, int,
  int, int)
KA_SW(surf1Dwrite, int) KA_SW(surf2Dwrite, int, int) KA_SW(surf3Dwrite, int, int, int) KA_SW(surf2DLayeredwrite,
  int, int, int)
#undef KA_SR
#undef KA_SW

// nvcc also gives host code the global min/max.
#define KA_MM(T, U, R) \
  static inline __host__ R max(T a, U b) { return (R)a > (R)b ? (R)a : (R)b; } \
  static inline __host__ R min(T a, U b) { return (R)a < (R)b ? (R)a : (R)b; }
#define KA_M1(T) KA_MM(T, T, T)
#define KA_M2(T, U, R) KA_MM(T, U, R) KA_MM(U, T, R)
KA_M1(int) KA_M1(unsigned) KA_M1(long) KA_M1(unsigned long) KA_M1(long long) KA_M1(unsigned long long) KA_M1(float)
KA_M1(double)
KA_M2(int, unsigned, unsigned) KA_M2(long, unsigned long, unsigned long) KA_M2(float, double, double)
#undef KA_MM
#undef KA_M1
#undef KA_M2

// Removed from the runtime; old sources still call them (and a rule reports them).
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

#if __clang_major__ < 15
#define KA_RED(n, T) static inline __device__ T n(unsigned, T v) { return v; }
KA_RED(__reduce_add_sync, unsigned) KA_RED(__reduce_min_sync, unsigned) KA_RED(__reduce_max_sync, unsigned)
KA_RED(__reduce_add_sync, int) KA_RED(__reduce_min_sync, int) KA_RED(__reduce_max_sync, int)
KA_RED(__reduce_and_sync, unsigned) KA_RED(__reduce_or_sync, unsigned) KA_RED(__reduce_xor_sync, unsigned)
#undef KA_RED
#endif
#endif
