// Thrust: names for host code, and the few types that kernels use. Algorithms take anything.
#pragma once
#include <kadvise_cuda.h>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#if defined(THRUST_CUB_WRAPPED_NAMESPACE)
#define KA_THRUST_BEGIN namespace THRUST_CUB_WRAPPED_NAMESPACE {
#define KA_THRUST_END }
#elif defined(THRUST_WRAPPED_NAMESPACE)
#define KA_THRUST_BEGIN namespace THRUST_WRAPPED_NAMESPACE {
#define KA_THRUST_END }
#else
#define KA_THRUST_BEGIN
#define KA_THRUST_END
#endif
KA_THRUST_BEGIN
namespace thrust {
template <class A, class B> struct pair { A first; B second; pair() = default;
  __host__ __device__ pair(const A &, const B &); };
template <class A, class B> __host__ __device__ pair<A, B> make_pair(A, B);
template <class... A> struct tuple { tuple() = default; __host__ __device__ tuple(const A &...);
  template <class... B> __host__ __device__ tuple(const tuple<B...> &);
  template <class... B> __host__ __device__ tuple &operator=(const tuple<B...> &);
  template <class X, class Y> __host__ __device__ tuple &operator=(const pair<X, Y> &); };
template <class... A> __host__ __device__ tuple<A...> make_tuple(A...);
template <class... A> __host__ __device__ tuple<A &...> tie(A &...);
template <int I, class... A> __host__ __device__ std::tuple_element_t<I, std::tuple<A...>> &get(const tuple<A...> &);
template <int I, class T> struct tuple_element; template <int I, class... A> struct tuple_element<I,
  tuple<A...>> { typedef std::tuple_element_t<I, std::tuple<A...>> type; };
template <class T> struct complex { T re, im; __host__ __device__ complex(T = 0, T = 0); __host__ __device__ T real() const;
  __host__ __device__ T imag() const; __host__ __device__ void real(T); __host__ __device__ void imag(T);
  template <class U> __host__ __device__ complex(const complex<U> &); template <class U> __host__ __device__ complex &operator+=(U);
  template <class U> __host__ __device__ complex &operator-=(U); template <class U> __host__ __device__ complex &operator*=(U);
  template <class U> __host__ __device__ complex &operator/=(U); };
#define KA_TC(o) template <class T> __host__ __device__ complex<T> operator o(complex<T>, complex<T>); \
  template <class T> __host__ __device__ complex<T> operator o(complex<T>, T); \
  template <class T> __host__ __device__ complex<T> operator o(T, complex<T>);
KA_TC(+) KA_TC(-) KA_TC(*) KA_TC(/)
template <class T> __host__ __device__ complex<T> operator-(complex<T>);
#define KA_TF(n, R) template <class T> __host__ __device__ R n(complex<T>);
KA_TF(abs, T) KA_TF(norm, T) KA_TF(arg, T) KA_TF(conj, complex<T>) KA_TF(exp, complex<T>) KA_TF(sqrt, complex<T>)
KA_TF(log, complex<T>) KA_TF(sin, complex<T>) KA_TF(cos, complex<T>)
template <class T> __host__ __device__ complex<T> polar(T, T = 0);

// Iterators are one type that does what any of them does.
template <class T> struct device_ptr;
template <class T> struct device_reference { operator T() const; device_reference &operator=(const T &);
  device_ptr<T> operator&() const; };
template <class T> struct device_ptr { typedef T value_type; __host__ __device__ explicit device_ptr(T *); device_ptr();
  __host__ __device__ T *get() const; __host__ __device__ device_ptr operator+(ptrdiff_t) const;
  __host__ __device__ device_ptr operator-(ptrdiff_t) const; __host__ __device__ ptrdiff_t operator-(device_ptr) const;
  __host__ __device__ T &operator*() const; __host__ __device__ T &operator[](size_t) const; device_ptr &operator++();
  bool operator==(device_ptr) const; bool operator!=(device_ptr) const; };
template <class T> device_ptr<T> device_pointer_cast(T *); template <class T> device_ptr<T> device_malloc(size_t);
template <class T> void device_free(device_ptr<T>); template <class T> __host__ __device__ T *raw_pointer_cast(T *);
template <class T> __host__ __device__ T *raw_pointer_cast(device_ptr<T>);
template <class I> struct iterator_traits { typedef typename I::value_type value_type; typedef value_type &reference;
  typedef I pointer; typedef ptrdiff_t difference_type; };
template <class T> struct iterator_traits<T *> { typedef T value_type; typedef T &reference; typedef T *pointer;
  typedef ptrdiff_t difference_type; };
template <class T, class A = void> struct device_vector { typedef T value_type; typedef device_ptr<T> iterator, pointer;
  device_vector(); explicit device_vector(size_t); device_vector(size_t, const T &);
  template <class I> device_vector(I, I); template <class V, class = typename V::value_type> device_vector(const V &);
  template <class V> device_vector &operator=(const V &); iterator begin() const; iterator end() const;
  pointer data() const; size_t size() const; bool empty() const; void resize(size_t); void resize(size_t, const T &);
  void push_back(const T &); void clear(); void reserve(size_t); void shrink_to_fit(); void pop_back();
  template <class... B> void assign(B...); template <class... B> iterator insert(B...); template <class... B> iterator erase(B...);
  void swap(device_vector &); device_reference<T> operator[](size_t) const; device_reference<T> front() const;
  device_reference<T> back() const; };
template <class T, class A = void> struct host_vector : std::vector<T> { using std::vector<T>::vector;
  host_vector() = default; template <class V, class = typename V::value_type> host_vector(const V &);
  template <class V> host_vector &operator=(const V &); };
template <class T, class A = void> using universal_vector = device_vector<T>;
template <class T> struct counting_iterator { typedef T value_type; __host__ __device__ explicit counting_iterator(T = 0);
  __host__ __device__ T operator*() const; __host__ __device__ T operator[](size_t) const;
  __host__ __device__ counting_iterator operator+(ptrdiff_t) const; };
template <class T> __host__ __device__ counting_iterator<T> make_counting_iterator(T);
template <class T> __host__ __device__ counting_iterator<T> make_constant_iterator(T);
template <class T> using constant_iterator = counting_iterator<T>;
struct any_iterator { __host__ __device__ any_iterator operator+(ptrdiff_t) const; };
#define KA_TI(n) template <class... A> __host__ __device__ any_iterator n(A...);
KA_TI(make_zip_iterator) KA_TI(make_transform_iterator) KA_TI(make_permutation_iterator) KA_TI(make_discard_iterator)
KA_TI(make_reverse_iterator) KA_TI(make_transform_output_iterator)
// What an algorithm returns is used as whatever stands around it.
struct anything { template <class T> operator T() const; template <class T> anything operator-(const T &) const;
  template <class T> anything operator+(const T &) const; anything operator*() const; template <class T> bool operator==(const T &) const;
  template <class T> bool operator!=(const T &) const; anything get() const; };
#define KA_TA(n) template <class... A> __host__ __device__ anything n(A &&...);
KA_TA(sort) KA_TA(stable_sort) KA_TA(sort_by_key) KA_TA(stable_sort_by_key) KA_TA(is_sorted) KA_TA(copy) KA_TA(copy_n)
KA_TA(copy_if) KA_TA(fill) KA_TA(fill_n) KA_TA(sequence) KA_TA(transform) KA_TA(transform_if) KA_TA(for_each)
KA_TA(for_each_n) KA_TA(inclusive_scan) KA_TA(exclusive_scan) KA_TA(inclusive_scan_by_key) KA_TA(exclusive_scan_by_key)
KA_TA(transform_inclusive_scan) KA_TA(transform_exclusive_scan) KA_TA(reduce_by_key) KA_TA(unique) KA_TA(unique_by_key)
KA_TA(unique_copy) KA_TA(remove) KA_TA(remove_if) KA_TA(remove_copy_if) KA_TA(partition) KA_TA(stable_partition)
KA_TA(partition_copy) KA_TA(gather) KA_TA(gather_if) KA_TA(scatter) KA_TA(scatter_if) KA_TA(lower_bound)
KA_TA(upper_bound) KA_TA(binary_search) KA_TA(merge) KA_TA(merge_by_key) KA_TA(max_element) KA_TA(min_element)
template <class I> __host__ __device__ pair<I, I> minmax_element(I, I); template <class P, class I> pair<I, I> minmax_element(const P &, I, I);
KA_TA(find) KA_TA(find_if) KA_TA(count) KA_TA(count_if) KA_TA(equal) KA_TA(any_of) KA_TA(all_of)
KA_TA(none_of) KA_TA(generate) KA_TA(replace) KA_TA(replace_if) KA_TA(reverse) KA_TA(swap_ranges)
KA_TA(adjacent_difference) KA_TA(tabulate) KA_TA(shuffle) KA_TA(set_intersection) KA_TA(set_union) KA_TA(set_difference)
KA_TA(uninitialized_fill) KA_TA(uninitialized_copy) KA_TA(swap) KA_TA(distance) KA_TA(advance)
template <class T> __host__ __device__ T max(T, T); template <class T> __host__ __device__ T min(T, T);
KA_TA(reduce) KA_TA(transform_reduce) KA_TA(inner_product)
// Where a first value is given, the result has its type.
template <class I, class T> T reduce(I, I, T); template <class P, class I, class T> T reduce(const P &, I, I, T);
template <class I, class T, class O> T reduce(I, I, T, O); template <class P, class I, class T, class O> T reduce(const P &, I, I, T, O);
template <class I, class U, class T, class O> T transform_reduce(I, I, U, T, O);
template <class P, class I, class U, class T, class O> T transform_reduce(const P &, I, I, U, T, O);
#define KA_TO(n) template <class T = void> struct n { template <class A> __host__ __device__ T operator()(const A &, const A &) const; };
KA_TO(plus) KA_TO(minus) KA_TO(multiplies) KA_TO(divides) KA_TO(maximum) KA_TO(minimum) KA_TO(less) KA_TO(greater)
KA_TO(equal_to) KA_TO(not_equal_to) KA_TO(less_equal) KA_TO(greater_equal) KA_TO(logical_or) KA_TO(logical_and)
KA_TO(bit_or) KA_TO(bit_and) KA_TO(bit_xor) KA_TO(modulus)
template <class T> struct identity { __host__ __device__ T operator()(const T &) const; };
template <class T> struct negate : identity<T> {}; template <class T> struct square : identity<T> {};
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef R result_type; };
struct execution_policy { template <class T> execution_policy operator()(const T &) const; template <class T> execution_policy on(
  const T &) const; };
inline constexpr execution_policy host{}, device{}, seq{};
namespace cuda { inline constexpr execution_policy par{}, par_nosync{}; } namespace omp { inline constexpr execution_policy par{}; }
namespace placeholders { struct place { template <class... A> anything operator()(const A &...) const; }; inline constexpr place _1{}, _2{}, _3{};
#define KA_TP(o) template <class T> place operator o(place, const T &); template <class T> place operator o(const T &, place); place operator o(place, place);
KA_TP(+) KA_TP(-) KA_TP(*) KA_TP(/) KA_TP(%) KA_TP(<) KA_TP(>) KA_TP(<=) KA_TP(>=) KA_TP(==) KA_TP(!=) KA_TP(&&) KA_TP(||) KA_TP(&) KA_TP(|) place operator-(place); place operator!(place); } using namespace placeholders;
struct default_random_engine { __host__ __device__ default_random_engine(unsigned = 0); __host__ __device__ void discard(
  unsigned long long); __host__ __device__ void seed(unsigned); __host__ __device__ unsigned operator()(); };
typedef default_random_engine minstd_rand, minstd_rand0, taus88, ranlux24, ranlux48;
template <class T = float> struct uniform_real_distribution { __host__ __device__ uniform_real_distribution(T = 0, T = 1);
  template <class E> __host__ __device__ T operator()(E &); };
template <class T = int> struct uniform_int_distribution { __host__ __device__ uniform_int_distribution(T = 0, T = 9);
  template <class E> __host__ __device__ T operator()(E &); };
template <class T = float> struct normal_distribution { __host__ __device__ normal_distribution(T = 0, T = 1);
  template <class E> __host__ __device__ T operator()(E &); };
namespace random { using thrust::default_random_engine; using thrust::uniform_real_distribution;
using thrust::uniform_int_distribution; using thrust::normal_distribution; }
using std::error_code; using std::system_error; const std::error_category &cuda_category();
namespace system { using std::system_error; using std::error_code; }
}
KA_THRUST_END
