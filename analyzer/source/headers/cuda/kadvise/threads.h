// Barriers, votes, shuffles and reductions of a warp.
#pragma once
#include <kadvise/attributes.h>
#include <kadvise/vector_types.h>

KA_D void __syncthreads(); KA_D int __syncthreads_count(int); KA_D int __syncthreads_and(int);
KA_D int __syncthreads_or(int); KA_D void __syncwarp(unsigned = ~0u);
KA_D void __threadfence(); KA_D void __threadfence_block(); KA_D void __threadfence_system();
KA_D unsigned __activemask(); KA_D void __cluster_barrier_arrive(); KA_D void __cluster_barrier_arrive_relaxed();
KA_D void __cluster_barrier_wait();
KA_D unsigned __ballot_sync(unsigned, int); KA_D int __any_sync(unsigned, int); KA_D int __all_sync(unsigned, int);
KA_D int __any(int); KA_D int __all(int); KA_D unsigned __ballot(int);
#define KA_SH(n, I) template <class T> KA_D T __##n##_sync(unsigned, T, I, int = 32); \
  template <class T> KA_D T __##n(T, I, int = 32);
KA_SH(shfl, int) KA_SH(shfl_up, unsigned) KA_SH(shfl_down, unsigned) KA_SH(shfl_xor, int)
#define KA_RED(n) KA_D unsigned n(unsigned, unsigned); KA_D int n(unsigned, int);
KA_RED(__reduce_add_sync) KA_RED(__reduce_min_sync) KA_RED(__reduce_max_sync) KA_RED(__reduce_and_sync)
KA_RED(__reduce_or_sync) KA_RED(__reduce_xor_sync)
template <class T> KA_D unsigned __match_any_sync(unsigned, T);
template <class T> KA_D unsigned __match_all_sync(unsigned, T, int *);
