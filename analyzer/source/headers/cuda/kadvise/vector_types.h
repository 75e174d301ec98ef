// dim3, float4 and their like, and the built-in indices: threadIdx and the others come from Clang's own header, so that
// their AST is that of a toolkit's.
#pragma once
#include <kadvise/attributes.h>

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
#ifdef __CUDA__
#include <__clang_cuda_builtin_vars.h>
#endif
#define KA_V1(T, N, A) \
  struct N##1 { T x; }; KA_HD N##1 make_##N##1(T a) { return {a}; }
#define KA_V(T, N, A2, A4) \
  struct __align__(A2) N##2 { T x, y; }; struct __align__(A4) N##4 { T x, y, z, w; }; \
  KA_HD N##2 make_##N##2(T a, T b) { return {a, b}; } \
  KA_HD N##3 make_##N##3(T a, T b, T c) { return {a, b, c}; } \
  KA_HD N##4 make_##N##4(T a, T b, T c, T d) { return {a, b, c, d}; }
#define KA_VT(T, N, A2, A4) KA_V1(T, N, 0) struct N##3 { T x, y, z; }; KA_V(T, N, A2, A4)
KA_VT(char, char, 2, 4) KA_VT(signed char, schar, 2, 4) KA_VT(unsigned char, uchar, 2, 4) KA_VT(short, short, 4, 8)
KA_VT(unsigned short, ushort, 4, 8)
KA_VT(int, int, 8, 16) KA_V1(unsigned, uint, 0) KA_V(unsigned, uint, 8, 16) KA_VT(long, long, 16, 16)
KA_VT(unsigned long, ulong, 16, 16)
KA_VT(long long, longlong, 16, 16) KA_VT(unsigned long long, ulonglong, 16, 16) KA_VT(float, float, 8, 16)
KA_VT(double, double, 16, 16)
