// libcu++: atomics, barriers and pipelines. cuda::std is the host's library, of which Clang lets device code use what
// is constexpr.
#pragma once
#include <kadvise_cuda.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace cuda {
namespace std {
using namespace ::std;
#define KA_HDF template <class T> __host__ __device__ constexpr
KA_HDF void swap(T &, T &) noexcept; KA_HDF T abs(T); KA_HDF const T &min(const T &, const T &);
KA_HDF const T &max(const T &, const T &); template <class T, class C> __host__ __device__ constexpr T min(T, T, C);
template <class T, class C> __host__ __device__ constexpr T max(T, T, C);
KA_HDF const T &clamp(const T &, const T &, const T &); template <class I, class V> __host__ __device__ V accumulate(I, I, V);
template <class I, class V> __host__ __device__ I lower_bound(I, I, const V &);
template <class I, class V> __host__ __device__ I upper_bound(I, I, const V &);
template <class I, class V> __host__ __device__ I find(I, I, const V &);
template <class I, class V> __host__ __device__ void fill(I, I, const V &);
template <class I, class O> __host__ __device__ O copy(I, I, O); template <class I> __host__ __device__ void sort(I, I);
#define KA_STD1(n) template <class T> __host__ __device__ T n(T);
KA_STD1(sqrt) KA_STD1(exp) KA_STD1(log) KA_STD1(sin) KA_STD1(cos) KA_STD1(tanh) KA_STD1(floor) KA_STD1(ceil) KA_STD1(round)
template <class T> __host__ __device__ T pow(T, T); template <class T> __host__ __device__ T fma(T, T, T);
KA_HDF bool isnan(T); KA_HDF bool isinf(T); KA_HDF bool isfinite(T);
template <class T, size_t N = size_t(-1)> struct span { T *p; size_t n; __host__ __device__ span(T *, size_t);
  __host__ __device__ T &operator[](size_t) const; __host__ __device__ size_t size() const; __host__ __device__ T *data() const;
  __host__ __device__ T *begin() const; __host__ __device__ T *end() const; };
struct identity { template <class T> __host__ __device__ constexpr T &&operator()(T &&) const noexcept; };
}
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::memory_order; using ::std::memory_order_relaxed; using ::std::memory_order_consume;
using ::std::memory_order_acquire; using ::std::memory_order_release; using ::std::memory_order_acq_rel;
using ::std::memory_order_seq_cst;
KA_D void atomic_thread_fence(memory_order, thread_scope = thread_scope_system);

// Of cuda::atomic and cuda::atomic_ref.
#define KA_ORDER memory_order = memory_order_seq_cst
#define KA_FETCH(n) __host__ __device__ T fetch_##n(T, KA_ORDER) const;
template <class T> struct ka_atomic_calls {
  __host__ __device__ T load(KA_ORDER) const; __host__ __device__ void store(T, KA_ORDER) const;
  __host__ __device__ T exchange(T, KA_ORDER) const; __host__ __device__ operator T() const;
  template <class... A> __host__ __device__ bool compare_exchange_weak(T &, T, A...) const;
  template <class... A> __host__ __device__ bool compare_exchange_strong(T &, T, A...) const;
  KA_FETCH(add) KA_FETCH(sub) KA_FETCH(and) KA_FETCH(or) KA_FETCH(xor) KA_FETCH(min) KA_FETCH(max)
  __host__ __device__ T operator++() const; __host__ __device__ T operator--() const; __host__ __device__ T operator++(int) const;
  __host__ __device__ T operator--(int) const; __host__ __device__ T operator+=(T) const; __host__ __device__ T operator-=(T) const;
  __host__ __device__ T operator&=(T) const; __host__ __device__ T operator|=(T) const; __host__ __device__ T operator^=(T) const;
  __host__ __device__ void wait(T, KA_ORDER) const; __host__ __device__ void notify_one() const;
  __host__ __device__ void notify_all() const; __host__ __device__ bool is_lock_free() const; };
template <class T, thread_scope S = thread_scope_system> struct atomic : ka_atomic_calls<T> { T value; atomic() = default;
  __host__ __device__ constexpr atomic(T) noexcept; __host__ __device__ T operator=(T) noexcept; };
template <class T, thread_scope S = thread_scope_system> struct atomic_ref : ka_atomic_calls<T> {
  __host__ __device__ explicit atomic_ref(T &); __host__ __device__ T operator=(T) const; };
template <thread_scope S = thread_scope_system> struct atomic_flag { __host__ __device__ bool test_and_set(KA_ORDER);
  __host__ __device__ void clear(KA_ORDER); __host__ __device__ bool test(KA_ORDER) const; };
template <thread_scope S, ptrdiff_t M = 1 << 20> struct counting_semaphore { __host__ __device__ constexpr counting_semaphore(ptrdiff_t = 0);
  __host__ __device__ void acquire(); __host__ __device__ void release(ptrdiff_t = 1); __host__ __device__ bool try_acquire(); };
template <thread_scope S> using binary_semaphore = counting_semaphore<S, 1>;
template <thread_scope S> struct latch { __host__ __device__ constexpr latch(ptrdiff_t); __host__ __device__ void wait() const;
  __host__ __device__ void arrive_and_wait(ptrdiff_t = 1); __host__ __device__ void count_down(ptrdiff_t = 1); };

struct ka_nothing { __host__ __device__ void operator()() const; };
template <thread_scope S = thread_scope_system, class C = ka_nothing> struct barrier {
  struct arrival_token {}; unsigned long long word; barrier() = default; __host__ __device__ constexpr barrier(ptrdiff_t, C = C());
  __host__ __device__ arrival_token arrive(ptrdiff_t = 1); __host__ __device__ void wait(arrival_token &&) const;
  __host__ __device__ void arrive_and_wait(); __host__ __device__ void arrive_and_drop();
  template <class... A> __host__ __device__ bool try_wait(A &&...) const; __host__ __device__ bool try_wait_parity(bool) const;
  __host__ __device__ void wait_parity(bool) const; static constexpr ptrdiff_t max() { return 1 << 20; } };
template <thread_scope S, class C> __host__ __device__ void init(barrier<S, C> *, ptrdiff_t, C = C());

enum class pipeline_role { producer, consumer };
template <thread_scope S, unsigned char N> struct pipeline_shared_state { unsigned long long words[2 * N]; };
template <thread_scope S> struct pipeline { KA_D void producer_acquire(); KA_D void producer_commit(); KA_D void consumer_wait();
  KA_D void consumer_release(); KA_D bool quit(); template <class... A> KA_D bool consumer_wait_for(A &&...); };
KA_D pipeline<thread_scope_thread> make_pipeline();
template <class G, thread_scope S, unsigned char N, class... A> KA_D pipeline<S> make_pipeline(const G &, pipeline_shared_state<S, N> *, A...);
template <unsigned char N> KA_D void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &);
template <thread_scope S> KA_D void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<S> &);
template <size_t N> struct aligned_size_t { size_t value; __host__ __device__ constexpr explicit aligned_size_t(size_t);
  __host__ __device__ constexpr operator size_t() const; };
template <class... A> __host__ __device__ void memcpy_async(A &&...);
namespace device { template <class... A> KA_D void memcpy_async_tx(A &&...);
template <class... A> KA_D barrier<thread_scope_block>::arrival_token barrier_arrive_tx(A &&...);
template <class... A> KA_D void barrier_expect_tx(A &&...);
template <class C> KA_D unsigned long long *barrier_native_handle(barrier<thread_scope_block, C> &);
namespace experimental { using device::barrier_arrive_tx; using device::barrier_expect_tx;
#define KA_BULK(n) template <class... A> KA_D void n(A &&...);
#define KA_TENSOR(d) KA_BULK(cp_async_bulk_tensor_##d##_global_to_shared) KA_BULK(cp_async_bulk_tensor_##d##_shared_to_global)
KA_TENSOR(1d) KA_TENSOR(2d) KA_TENSOR(3d) KA_TENSOR(4d) KA_TENSOR(5d) KA_BULK(cp_async_bulk_global_to_shared)
KA_BULK(cp_async_bulk_shared_to_global) KA_BULK(cp_async_bulk_commit_group) KA_BULK(fence_proxy_async_shared_cta)
template <int N> KA_D void cp_async_bulk_wait_group_read(); template <int N> KA_D void cp_async_bulk_wait_group();
} }
namespace ptx { template <int> struct ka_word { constexpr operator int() const { return 0; } };
#define KA_WORDS(k, ...) static constexpr ka_word<k> __VA_ARGS__;
KA_WORDS(0, space_shared, space_global, space_cluster) KA_WORDS(1, sem_release, sem_acquire, sem_relaxed, sem_acq_rel)
KA_WORDS(2, scope_cta, scope_cluster, scope_gpu, scope_sys) KA_WORDS(3, cta_group_1, cta_group_2)
#define KA_PTX(n) template <class... A> KA_D unsigned n(A &&...);
KA_BULK(mbarrier_init) KA_PTX(mbarrier_arrive) KA_PTX(mbarrier_arrive_expect_tx) KA_PTX(mbarrier_try_wait) KA_PTX(mbarrier_try_wait_parity)
KA_PTX(mbarrier_test_wait) KA_PTX(mbarrier_test_wait_parity) KA_BULK(fence_proxy_async) KA_BULK(fence_mbarrier_init) KA_BULK(fence)
KA_BULK(barrier_cluster_arrive) KA_BULK(barrier_cluster_wait) KA_BULK(cp_async_bulk) KA_BULK(cp_async_bulk_tensor)
KA_BULK(cp_async_bulk_commit_group) KA_BULK(cp_async_bulk_wait_group) KA_BULK(cp_async_bulk_wait_group_read) KA_BULK(cp_reduce_async_bulk)
KA_BULK(red_async) KA_BULK(st_async) KA_BULK(tensormap_replace_global_address)
KA_PTX(get_sreg_laneid) KA_PTX(get_sreg_warpid) KA_PTX(get_sreg_cluster_ctarank) KA_PTX(get_sreg_smid) KA_PTX(elect_sync) }
template <class T = void> struct minimum { template <class A> __host__ __device__ constexpr A operator()(const A &, const A &) const; };
template <class T = void> struct maximum : minimum<T> {};
template <class T, class U> __host__ __device__ constexpr T ceil_div(T, U);
template <class T> struct fast_mod_div { __host__ __device__ fast_mod_div(T); };
template <class T> __host__ __device__ T operator/(T, fast_mod_div<T>); template <class T> __host__ __device__ T operator%(T, fast_mod_div<T>);
template <class T, class P> __host__ __device__ T *apply_access_property(T *, size_t, P); struct access_property { struct shared {};
  struct global {}; struct persisting {}; struct streaming {}; struct normal {}; };
template <class T, class P> __host__ __device__ T *associate_access_property(T *, P);
}
