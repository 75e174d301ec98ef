// Atomics, loads and stores with hints, asynchronous copies.
#pragma once
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>

#define KA_AT(n) template <class T, class U> KA_D T n(T *, U); template <class T, class U> KA_D T n##_block(T *, U); \
  template <class T, class U> KA_D T n##_system(T *, U);
KA_AT(atomicAdd) KA_AT(atomicSub) KA_AT(atomicMax) KA_AT(atomicMin) KA_AT(atomicExch) KA_AT(atomicAnd)
KA_AT(atomicOr) KA_AT(atomicXor) KA_AT(atomicInc) KA_AT(atomicDec)
#define KA_CAS(n) template <class T, class U, class W> KA_D T n(T *, U, W);
KA_CAS(atomicCAS) KA_CAS(atomicCAS_block) KA_CAS(atomicCAS_system)
// Atomics with an order and a scope.
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM };
template <class T> KA_D T __nv_atomic_load_n(const T *, int, int = 0); template <class T> KA_D void __nv_atomic_store_n(T *, T, int, int = 0);
#define KA_NVAT(n) template <class T, class U> KA_D T __nv_atomic_##n(T *, U, int, int = 0);
KA_NVAT(fetch_add) KA_NVAT(fetch_sub) KA_NVAT(fetch_min) KA_NVAT(fetch_max) KA_NVAT(fetch_and) KA_NVAT(fetch_or) KA_NVAT(fetch_xor)
KA_NVAT(exchange_n)
template <class T> KA_D bool __nv_atomic_compare_exchange_n(T *, T *, T, bool, int, int, int = 0);
KA_D void __nv_atomic_thread_fence(int, int = 0);
#define KA_LD(n) template <class T> KA_D T n(const T *);
KA_LD(__ldg) KA_LD(__ldcs) KA_LD(__ldcg) KA_LD(__ldca) KA_LD(__ldcv) KA_LD(__ldlu)
#define KA_ST(n) template <class T, class U> KA_D void n(T *, U);
KA_ST(__stcs) KA_ST(__stcg) KA_ST(__stwb) KA_ST(__stwt)
KA_D size_t __cvta_generic_to_shared(const void *); KA_D size_t __cvta_generic_to_global(const void *);
KA_D size_t __cvta_generic_to_local(const void *); KA_D size_t __cvta_generic_to_constant(const void *);
KA_D size_t __cvta_generic_to_grid_constant(const void *); KA_D void *__cvta_shared_to_generic(size_t);
KA_D void *__cvta_global_to_generic(size_t); KA_D unsigned __isShared(const void *); KA_D unsigned __isGlobal(const void *);
KA_D unsigned __isLocal(const void *); KA_D unsigned __isConstant(const void *);
KA_D void __pipeline_memcpy_async(void *, const void *, size_t, size_t = 0); KA_D void __pipeline_commit();
KA_D void __pipeline_wait_prior(size_t);
