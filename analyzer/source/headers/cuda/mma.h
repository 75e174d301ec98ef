#pragma once
#include <kadvise_cuda.h>
namespace nvcuda { namespace wmma {
struct matrix_a; struct matrix_b; struct accumulator; struct row_major; struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32; struct b1; struct u4; struct s4; }
template <class U, int M, int N, int K, class T, class L = void> struct fragment { T x[8];
enum { num_elements = 8 }; };
template <class F, class V> KA_D void fill_fragment(F &, V); template <class F, class P,
  class... A> KA_D void load_matrix_sync(F &, const P *, unsigned, A...);
template <class P, class F> KA_D void store_matrix_sync(P *, const F &, unsigned, layout_t); template <class D,
  class A, class B, class C> KA_D void mma_sync(D &, const A &, const B &, const C &);
} }
