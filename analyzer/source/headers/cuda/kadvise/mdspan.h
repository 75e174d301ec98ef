// Views of several dimensions, as libcu++ has them from C++17 on.
#pragma once
#include <kadvise/libcudacxx.h>
#define KA_MD(n, T) __host__ __device__ constexpr T n const noexcept;
namespace cuda { namespace std {
inline constexpr size_t dynamic_extent = size_t(-1);
struct full_extent_t { explicit full_extent_t() = default; }; inline constexpr full_extent_t full_extent{};
template <class I, size_t... E> struct extents { using index_type = I; using size_type = ::std::make_unsigned_t<I>; using rank_type = size_t;
  constexpr extents() noexcept = default; template <class... A> __host__ __device__ constexpr extents(const A &...) noexcept;
  __host__ __device__ static constexpr rank_type rank() noexcept { return sizeof...(E); }
  __host__ __device__ static constexpr rank_type rank_dynamic() noexcept { return (size_t(0) + ... + size_t(E == dynamic_extent)); }
  __host__ __device__ static constexpr size_t static_extent(rank_type r) noexcept { size_t all[] = {E..., 0}; return all[r]; }
  KA_MD(extent(rank_type), index_type) };
template <class I, class R> struct ka_dextents;
template <class I, size_t... R> struct ka_dextents<I, ::std::index_sequence<R...>> { using type = extents<I, (R, dynamic_extent)...>; };
template <class I, size_t R> using dextents = typename ka_dextents<I, ::std::make_index_sequence<R>>::type;
template <size_t R, class I = size_t> using dims = dextents<I, R>;
template <class... A> extents(A...) -> extents<size_t, (sizeof(A), dynamic_extent)...>;
#define KA_LAYOUT(L) struct L { template <class X> struct mapping { using extents_type = X; using index_type = typename X::index_type; \
  using size_type = typename X::size_type; using rank_type = typename X::rank_type; using layout_type = L; constexpr mapping() noexcept = default; \
  template <class... A> __host__ __device__ constexpr mapping(const X &, const A &...) noexcept; \
  template <class M, class = typename M::layout_type> __host__ __device__ constexpr mapping(const M &) noexcept; \
  KA_MD(extents(), const X &) KA_MD(required_span_size(), index_type) KA_MD(stride(rank_type), index_type) KA_MD(is_exhaustive(), bool) \
  template <class... A> __host__ __device__ constexpr index_type operator()(A...) const noexcept; }; };
KA_LAYOUT(layout_right) KA_LAYOUT(layout_left) KA_LAYOUT(layout_stride)
template <class T> struct default_accessor { using element_type = T; using reference = T &; using data_handle_type = T *; using offset_policy = default_accessor;
  constexpr default_accessor() noexcept = default; template <class U> __host__ __device__ constexpr default_accessor(default_accessor<U>) noexcept;
  KA_MD(access(T *, size_t), T &) KA_MD(offset(T *, size_t), T *) };
template <class T, class X, class L = layout_right, class A = default_accessor<T>> struct mdspan { using element_type = T; using extents_type = X;
  using value_type = ::std::remove_cv_t<T>; using layout_type = L; using accessor_type = A; using mapping_type = typename L::template mapping<X>;
  using index_type = typename X::index_type; using size_type = typename X::size_type; using rank_type = typename X::rank_type;
  using data_handle_type = typename A::data_handle_type; using reference = typename A::reference;
  constexpr mdspan() = default; template <class... I> __host__ __device__ constexpr explicit mdspan(data_handle_type, I...);
  __host__ __device__ constexpr mdspan(data_handle_type, const mapping_type &); __host__ __device__ constexpr mdspan(data_handle_type, const X &);
  template <class U, class Y, class M, class B> __host__ __device__ constexpr mdspan(const mdspan<U, Y, M, B> &);
  template <class... I> __host__ __device__ constexpr reference operator()(I...) const;
  template <class I> __host__ __device__ constexpr reference operator[](I) const;
#ifdef __cpp_multidimensional_subscript
  template <class I, class J, class... K> __host__ __device__ constexpr reference operator[](I, J, K...) const;
#endif
  __host__ __device__ static constexpr rank_type rank() noexcept { return X::rank(); }
  __host__ __device__ static constexpr rank_type rank_dynamic() noexcept { return X::rank_dynamic(); }
  __host__ __device__ static constexpr size_t static_extent(rank_type r) noexcept { return X::static_extent(r); }
  KA_MD(extent(rank_type), index_type) KA_MD(stride(rank_type), index_type) KA_MD(size(), size_type) KA_MD(empty(), bool)
  KA_MD(extents(), const X &) KA_MD(mapping(), const mapping_type &) KA_MD(accessor(), const A &) KA_MD(data_handle(), const data_handle_type &)
  KA_MD(is_exhaustive(), bool) };
template <class T, class... I> mdspan(T *, I...) -> mdspan<T, dextents<size_t, sizeof...(I)>>;
template <class T, class I, size_t... E> mdspan(T *, extents<I, E...>) -> mdspan<T, extents<I, E...>>;
template <class T, class M, class L = typename M::layout_type> mdspan(T *, M) -> mdspan<T, typename M::extents_type, L>;
template <class T, class X, class L, class A, class... S> __host__ __device__ constexpr mdspan<T,
  dextents<typename X::index_type, (size_t(0) + ... + size_t(!::std::is_convertible_v<S, typename X::index_type>))>, layout_stride>
  submdspan(const mdspan<T, X, L, A> &, S...);
}
#define KA_MD_OF(w) template <class T, class X, class L = std::layout_right, class A = std::default_accessor<T>> using w##_mdspan = std::mdspan<T, X, L, A>;
KA_MD_OF(device) KA_MD_OF(host) KA_MD_OF(managed)
}
