#pragma once
#include <kadvise_cuda.h>
namespace cooperative_groups {
#define KA_SG static KA_D void sync(); static KA_D unsigned size(); static KA_D unsigned num_threads(); \
  static KA_D unsigned thread_rank();
#define KA_G KA_D void sync() const; KA_D unsigned size() const; KA_D unsigned num_threads() const; \
  KA_D unsigned thread_rank() const;
#define KA_W template <class T> KA_D T shfl(T, int) const; template <class T> KA_D T shfl_down(T, unsigned) const; \
  template <class T> KA_D T shfl_up(T, unsigned) const; template <class T> KA_D T shfl_xor(T, unsigned) const; \
  KA_D int any(int) const; KA_D int all(int) const; KA_D unsigned ballot(int) const; KA_D unsigned meta_group_rank() \
    const; KA_D unsigned meta_group_size() const;
struct thread_group { KA_G };
struct thread_block : thread_group { KA_SG KA_D dim3 group_index() const; KA_D dim3 thread_index() const;
KA_D dim3 group_dim() const; KA_D dim3 dim_threads() const; };
struct grid_group : thread_group { typedef unsigned arrival_token; KA_D arrival_token barrier_arrive() const; KA_D void barrier_wait(arrival_token &&) const;
KA_D dim3 block_index() const; KA_D dim3 dim_blocks() const; KA_D unsigned long long block_rank_() const; KA_D unsigned thread_count() const; KA_G KA_D bool is_valid() const; KA_D dim3 group_dim() const;
KA_D unsigned num_blocks() const; KA_D unsigned block_rank() const; KA_D unsigned num_clusters() const; KA_D unsigned cluster_rank() const;
KA_D dim3 dim_clusters() const; KA_D dim3 cluster_index() const; };
struct cluster_group : thread_group { struct arrival_token {}; KA_D arrival_token barrier_arrive() const; KA_D void barrier_wait() const;
KA_D void barrier_wait(arrival_token &&) const; KA_D dim3 block_index() const; KA_D dim3 dim_blocks() const; KA_G KA_D unsigned block_rank() const; KA_D unsigned num_blocks() const;
template <class T> KA_D T *map_shared_rank(T *, int) const; };
template <unsigned N = 1024> struct block_tile_memory { char bytes[N]; };
template <unsigned N> KA_D thread_block this_thread_block(block_tile_memory<N> &);
struct coalesced_group : thread_group { KA_G KA_W };
// Groups of one size convert to each other, whatever group they were cut from.
template <unsigned N, class P = void> struct thread_block_tile : thread_group { KA_G KA_W thread_block_tile() = default;
template <class Q> KA_D thread_block_tile(const thread_block_tile<N, Q> &); };
KA_D thread_block this_thread_block(); KA_D grid_group this_grid(); KA_D cluster_group this_cluster();
KA_D coalesced_group coalesced_threads();
template <unsigned N, class P> KA_D thread_block_tile<N, P> tiled_partition(const P &);
KA_D thread_group tiled_partition(const thread_group &, unsigned);
template <class G, class D, class T, class O> KA_D void reduce_store_async(const G &, D &&, T &&, O &&);
template <class G, class D, class T, class O> KA_D void reduce_update_async(const G &, D &&, T &&, O &&);
template <class G> KA_D void sync(const G &); template <class G, class T, class O> KA_D T reduce(const G &, T, O);
template <class G, class T> KA_D T inclusive_scan(const G &, T); template <class G,
  class T> KA_D T exclusive_scan(const G &, T);
template <class G, class D, class S, class N> KA_D void memcpy_async(const G &, D *, const S *, N);
template <class G> KA_D void wait(const G &); template <unsigned N, class G> KA_D void wait_prior(const G &);
struct multi_grid_group : thread_group { KA_G KA_D unsigned grid_rank() const; KA_D unsigned num_grids() const; };
KA_D multi_grid_group this_multi_grid(); KA_D coalesced_group binary_partition(const coalesced_group &, bool);
template <unsigned N, class P> KA_D coalesced_group binary_partition(const thread_block_tile<N, P> &, bool);
template <class T> KA_D coalesced_group labeled_partition(const coalesced_group &, T);
template <unsigned N, class P, class T> KA_D coalesced_group labeled_partition(const thread_block_tile<N, P> &, T);
KA_D thread_block_tile<1> this_thread(); template <class G, class D, class... A> KA_D void memcpy_async(const G &, D *, A...);
template <class G, class T, class O> KA_D T inclusive_scan(const G &, T, O); template <class G, class T, class O> KA_D T exclusive_scan(const G &, T, O);
template <class G, class F> KA_D void invoke_one(const G &, F &&);
namespace details { KA_D void sync_grids(unsigned, volatile unsigned *); KA_D bool bar_has_flipped(unsigned, unsigned); }
template <class T> struct bit_and { KA_D T operator()(T, T) const; }; template <class T> struct bit_or : bit_and<T> {};
template <class T> struct bit_xor : bit_and<T> {};
template <class T> struct plus { KA_D T operator()(T, T) const; };
template <class T> struct greater { KA_D T operator()(T, T) const; };
template <class T> struct less { KA_D T operator()(T, T) const; };
}
