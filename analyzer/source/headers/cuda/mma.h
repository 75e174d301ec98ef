#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace nvcuda { namespace wmma {
struct matrix_a; struct matrix_b; struct accumulator; struct row_major; struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32; struct b1; struct u4; struct s4; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND }; enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
// What an element of a fragment is kept as.
template <class T> struct ka_kept { typedef T type; }; template <> struct ka_kept<precision::tf32> { typedef float type; };
template <> struct ka_kept<precision::b1> { typedef unsigned type; }; template <> struct ka_kept<precision::u4> { typedef unsigned type; };
template <> struct ka_kept<precision::s4> { typedef int type; };
template <class U, int M, int N, int K, class T, class L = void> struct fragment { typename ka_kept<T>::type x[8]; typedef T element_type;
enum { num_elements = 8 }; };
__host__ __device__ float __float_to_tf32(float); template <class F, class V> KA_D void fill_fragment(F &, V); template <class F, class P,
  class... A> KA_D void load_matrix_sync(F &, const P *, unsigned, A...);
template <class P, class F> KA_D void store_matrix_sync(P *, const F &, unsigned, layout_t); template <class D,
  class A, class B, class C> KA_D void mma_sync(D &, const A &, const B &, const C &, bool = false);
template <class D, class A, class B, class C> KA_D void bmma_sync(D &, const A &, const B &, const C &, bmmaBitOp = bmmaBitOpXOR,
  bmmaAccumulateOp = bmmaAccumulateOpPOPC);
} }
