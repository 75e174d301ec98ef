// Atomics, loads and stores with hints, asynchronous copies.
#pragma once
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>

#define KA_AT(n) template <class T, class U> KA_D T n(T *, U); template <class T, class U> KA_D T n##_block(T *, U); \
  template <class T, class U> KA_D T n##_system(T *, U);
KA_AT(atomicAdd) KA_AT(atomicSub) KA_AT(atomicMax) KA_AT(atomicMin) KA_AT(atomicExch) KA_AT(atomicAnd)
KA_AT(atomicOr) KA_AT(atomicXor) KA_AT(atomicInc) KA_AT(atomicDec)
template <class T, class U, class W> KA_D T atomicCAS(T *, U, W);
#define KA_LD(n) template <class T> KA_D T n(const T *);
KA_LD(__ldg) KA_LD(__ldcs) KA_LD(__ldcg) KA_LD(__ldca) KA_LD(__ldcv) KA_LD(__ldlu)
#define KA_ST(n) template <class T, class U> KA_D void n(T *, U);
KA_ST(__stcs) KA_ST(__stcg) KA_ST(__stwb) KA_ST(__stwt)
KA_D size_t __cvta_generic_to_shared(const void *);
KA_D void __pipeline_memcpy_async(void *, const void *, size_t, size_t = 0); KA_D void __pipeline_commit();
KA_D void __pipeline_wait_prior(size_t);
