// The C library becomes host and device code. What <cmath> pulls in must stay on the host, so that comes between.
#pragma once
#include <kadvise/attributes.h>

#include <stddef.h>
#include <stdint.h>
#include <cstddef>
#pragma clang force_cuda_host_device begin
#include <cstdlib>
#include <cstring>
#pragma clang force_cuda_host_device end
#include <array>
#include <cfloat>
#include <climits>
#include <limits>
#include <type_traits>
#pragma clang force_cuda_host_device begin
#include <cmath>
#include <math.h>
#pragma clang force_cuda_host_device end
#include <cassert>
#include <cstdio>
#include <ctime>
extern "C" {
KA_D int printf(const char *, ...);
KA_D void __assert_fail(const char *, const char *, unsigned, const char *);
KA_D clock_t clock();
}
KA_D long long clock64(); KA_D void __nanosleep(unsigned); KA_D void __trap(); KA_D void __brkpt();
// As CUDA has them, so that they win over templates of the user's namespaces; then whatever else can be compared.
#define KA_LEAST(R, A, B) KA_HD R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
  KA_HD R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define KA_LEAST4(S, U) KA_LEAST(S, S, S) KA_LEAST(U, U, U) KA_LEAST(U, S, U) KA_LEAST(U, U, S)
KA_LEAST4(int, unsigned) KA_LEAST4(long, unsigned long) KA_LEAST4(long long, unsigned long long)
KA_LEAST(float, float, float) KA_LEAST(double, double, double) KA_LEAST(double, float, double) KA_LEAST(double, double, float)
template <class A, class B> KA_HD auto min(A a, B b) -> decltype(a + b) { return a < b ? a : b; }
template <class A, class B> KA_HD auto max(A a, B b) -> decltype(a + b) { return a > b ? a : b; }
