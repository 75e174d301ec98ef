// Vectors and matrices as GLM has them, for clones without it.
#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#ifdef __CUDACC__
#define KA_GLM __host__ __device__
#else
#define KA_GLM
#endif
namespace glm {
enum qualifier { packed_highp, packed_mediump, packed_lowp, highp = packed_highp, mediump = packed_mediump, lowp = packed_lowp, defaultp = highp };
typedef int length_t; typedef unsigned uint;
template <int L, class T, qualifier Q = defaultp> struct vec;
template <int C, int R, class T, qualifier Q = defaultp> struct mat;
template <class T, qualifier Q = defaultp> struct qua;
#define KA_GLM_OF(type, ...) using value_type = T; static constexpr int kSize = sizeof(type) / sizeof(T); \
  KA_GLM constexpr T &operator[](int i) { return (&x)[i]; } KA_GLM constexpr const T &operator[](int i) const { return (&x)[i]; } \
  KA_GLM static constexpr int length() { return kSize; } \
  template <class A> KA_GLM type &operator+=(const A &); template <class A> KA_GLM type &operator-=(const A &); \
  template <class A> KA_GLM type &operator*=(const A &); template <class A> KA_GLM type &operator/=(const A &); \
  KA_GLM type operator-() const; KA_GLM type operator+() const; KA_GLM bool operator==(const type &) const; KA_GLM bool operator!=(const type &) const
template <class T, qualifier Q> struct vec<1, T, Q> { union { T x, r; }; vec() = default; KA_GLM constexpr explicit vec(T a) : x(a) {} KA_GLM_OF(vec); };
template <class T, qualifier Q> struct vec<2, T, Q> { union { T x, r, s; }; union { T y, g, t; }; vec() = default; KA_GLM constexpr explicit vec(T a) : x(a), y(a) {}
  template <class A, class B> KA_GLM constexpr vec(A a, B b) : x(T(a)), y(T(b)) {}
  template <int L, class U, qualifier P> KA_GLM constexpr vec(const vec<L, U, P> &o) : x(T(o.x)), y(T(o.y)) {} KA_GLM_OF(vec); };
template <class T, qualifier Q> struct vec<3, T, Q> { union { T x, r, s; }; union { T y, g, t; }; union { T z, b, p; };
  vec() = default; KA_GLM constexpr explicit vec(T a) : x(a), y(a), z(a) {}
  template <class A, class B, class C> KA_GLM constexpr vec(A a, B b, C c) : x(T(a)), y(T(b)), z(T(c)) {}
  template <class A, qualifier P, class C> KA_GLM constexpr vec(const vec<2, A, P> &a, C c) : x(T(a.x)), y(T(a.y)), z(T(c)) {}
  template <class A, class C, qualifier P> KA_GLM constexpr vec(A a, const vec<2, C, P> &c) : x(T(a)), y(T(c.x)), z(T(c.y)) {}
  template <int L, class U, qualifier P, class = std::enable_if_t<(L > 2)>> KA_GLM constexpr vec(const vec<L, U, P> &o) : x(T(o.x)), y(T(o.y)), z(T(o.z)) {} KA_GLM_OF(vec); };
template <class T, qualifier Q> struct vec<4, T, Q> { union { T x, r, s; }; union { T y, g, t; }; union { T z, b, p; }; union { T w, a, q; };
  vec() = default; KA_GLM constexpr explicit vec(T v) : x(v), y(v), z(v), w(v) {}
  template <class A, class B, class C, class D> KA_GLM constexpr vec(A i, B j, C k, D l) : x(T(i)), y(T(j)), z(T(k)), w(T(l)) {}
  template <class A, qualifier P, class D> KA_GLM constexpr vec(const vec<3, A, P> &i, D l) : x(T(i.x)), y(T(i.y)), z(T(i.z)), w(T(l)) {}
  template <class A, class D, qualifier P> KA_GLM constexpr vec(A i, const vec<3, D, P> &l) : x(T(i)), y(T(l.x)), z(T(l.y)), w(T(l.z)) {}
  template <class A, qualifier P, class C, class D> KA_GLM constexpr vec(const vec<2, A, P> &i, C k, D l) : x(T(i.x)), y(T(i.y)), z(T(k)), w(T(l)) {}
  template <class A, qualifier P, class B, qualifier S> KA_GLM constexpr vec(const vec<2, A, P> &i, const vec<2, B, S> &k) : x(T(i.x)), y(T(i.y)), z(T(k.x)), w(T(k.y)) {}
  template <class U, qualifier P> KA_GLM constexpr vec(const vec<4, U, P> &o) : x(T(o.x)), y(T(o.y)), z(T(o.z)), w(T(o.w)) {} KA_GLM_OF(vec); };
template <class T, qualifier Q> struct qua { T x, y, z, w; qua() = default; KA_GLM constexpr qua(T r, T i, T j, T k) : x(i), y(j), z(k), w(r) {}
  KA_GLM constexpr qua(T r, const vec<3, T, Q> &v) : x(v.x), y(v.y), z(v.z), w(r) {} KA_GLM explicit qua(const vec<3, T, Q> &);
  KA_GLM explicit qua(const mat<3, 3, T, Q> &); KA_GLM explicit qua(const mat<4, 4, T, Q> &); KA_GLM static constexpr qua wxyz(T r, T i, T j, T k) { return {r, i, j, k}; }
  KA_GLM_OF(qua); };
template <int C, int R, class T, qualifier Q> struct mat { using value_type = T; using col_type = vec<R, T, Q>; using row_type = vec<C, T, Q>; vec<R, T, Q> value[C];
  mat() = default; KA_GLM explicit mat(T); template <class U, qualifier P> KA_GLM explicit mat(const qua<U, P> &);
  template <int D, int S, class U, qualifier P> KA_GLM mat(const mat<D, S, U, P> &);
  template <class A, class B, class... M> KA_GLM mat(const A &, const B &, const M &...);  // columns, or all elements
  KA_GLM constexpr vec<R, T, Q> &operator[](int i) { return value[i]; } KA_GLM constexpr const vec<R, T, Q> &operator[](int i) const { return value[i]; }
  KA_GLM static constexpr int length() { return C; } template <class A> KA_GLM mat &operator+=(const A &); template <class A> KA_GLM mat &operator-=(const A &);
  template <class A> KA_GLM mat &operator*=(const A &); template <class A> KA_GLM mat &operator/=(const A &); KA_GLM mat operator-() const;
  KA_GLM bool operator==(const mat &) const; KA_GLM bool operator!=(const mat &) const; };
template <class S> using KaNumber = std::enable_if_t<std::is_arithmetic<S>::value>;
#define KA_GLM_V template <int L, class T, qualifier Q> KA_GLM
#define KA_GLM_M template <int C, int R, class T, qualifier Q> KA_GLM
#define KA_GLM_Q template <class T, qualifier Q> KA_GLM
#define KA_GLM_B(o) KA_GLM_V vec<L, T, Q> operator o(const vec<L, T, Q> &, const vec<L, T, Q> &); \
  template <int L, class T, qualifier Q, class S, class = KaNumber<S>> KA_GLM vec<L, T, Q> operator o(const vec<L, T, Q> &, S); \
  template <int L, class T, qualifier Q, class S, class = KaNumber<S>> KA_GLM vec<L, T, Q> operator o(S, const vec<L, T, Q> &);
KA_GLM_B(+) KA_GLM_B(-) KA_GLM_B(*) KA_GLM_B(/) KA_GLM_B(%) KA_GLM_B(&) KA_GLM_B(|) KA_GLM_B(^) KA_GLM_B(<<) KA_GLM_B(>>)
KA_GLM_M mat<C, R, T, Q> operator+(const mat<C, R, T, Q> &, const mat<C, R, T, Q> &); KA_GLM_M mat<C, R, T, Q> operator-(const mat<C, R, T, Q> &, const mat<C, R, T, Q> &);
template <int K, int R, int C, class T, qualifier Q> KA_GLM mat<C, R, T, Q> operator*(const mat<K, R, T, Q> &, const mat<C, K, T, Q> &);
KA_GLM_M vec<R, T, Q> operator*(const mat<C, R, T, Q> &, const vec<C, T, Q> &); KA_GLM_M vec<C, T, Q> operator*(const vec<R, T, Q> &, const mat<C, R, T, Q> &);
template <int C, int R, class T, qualifier Q, class S, class = KaNumber<S>> KA_GLM mat<C, R, T, Q> operator*(const mat<C, R, T, Q> &, S);
template <int C, int R, class T, qualifier Q, class S, class = KaNumber<S>> KA_GLM mat<C, R, T, Q> operator*(S, const mat<C, R, T, Q> &);
template <int C, int R, class T, qualifier Q, class S, class = KaNumber<S>> KA_GLM mat<C, R, T, Q> operator/(const mat<C, R, T, Q> &, S);
KA_GLM_Q qua<T, Q> operator*(const qua<T, Q> &, const qua<T, Q> &); KA_GLM_Q vec<3, T, Q> operator*(const qua<T, Q> &, const vec<3, T, Q> &);
KA_GLM_Q qua<T, Q> operator+(const qua<T, Q> &, const qua<T, Q> &); template <class T, qualifier Q, class S> KA_GLM qua<T, Q> operator*(const qua<T, Q> &, S);
template <class T, qualifier Q, class S> KA_GLM qua<T, Q> operator*(S, const qua<T, Q> &); template <class T, qualifier Q, class S> KA_GLM qua<T, Q> operator/(const qua<T, Q> &, S);
KA_GLM_V T dot(const vec<L, T, Q> &, const vec<L, T, Q> &); KA_GLM_V T length(const vec<L, T, Q> &); KA_GLM_V T length2(const vec<L, T, Q> &);
KA_GLM_V T distance(const vec<L, T, Q> &, const vec<L, T, Q> &); KA_GLM_V T distance2(const vec<L, T, Q> &, const vec<L, T, Q> &);
KA_GLM_Q vec<3, T, Q> cross(const vec<3, T, Q> &, const vec<3, T, Q> &); KA_GLM_V vec<L, T, Q> normalize(const vec<L, T, Q> &);
KA_GLM_V vec<L, T, Q> reflect(const vec<L, T, Q> &, const vec<L, T, Q> &); KA_GLM_M mat<R, C, T, Q> transpose(const mat<C, R, T, Q> &);
KA_GLM_M mat<C, R, T, Q> inverse(const mat<C, R, T, Q> &); KA_GLM_M T determinant(const mat<C, R, T, Q> &);
KA_GLM_M mat<C, R, T, Q> outerProduct(const vec<R, T, Q> &, const vec<C, T, Q> &); KA_GLM_M mat<C, R, T, Q> matrixCompMult(const mat<C, R, T, Q> &, const mat<C, R, T, Q> &);
KA_GLM_M vec<R, T, Q> column(const mat<C, R, T, Q> &, int); KA_GLM_M vec<C, T, Q> row(const mat<C, R, T, Q> &, int);
KA_GLM_Q T dot(const qua<T, Q> &, const qua<T, Q> &); KA_GLM_Q T length(const qua<T, Q> &); KA_GLM_Q qua<T, Q> normalize(const qua<T, Q> &); KA_GLM_Q qua<T, Q> conjugate(const qua<T, Q> &);
KA_GLM_Q qua<T, Q> inverse(const qua<T, Q> &); KA_GLM_Q mat<3, 3, T, Q> mat3_cast(const qua<T, Q> &); KA_GLM_Q mat<4, 4, T, Q> mat4_cast(const qua<T, Q> &);
template <int C, class T, qualifier Q> KA_GLM qua<T, Q> quat_cast(const mat<C, C, T, Q> &); KA_GLM_Q mat<3, 3, T, Q> toMat3(const qua<T, Q> &);
KA_GLM_Q vec<3, T, Q> rotate(const qua<T, Q> &, const vec<3, T, Q> &); KA_GLM_Q mat<4, 4, T, Q> rotate(const mat<4, 4, T, Q> &, T, const vec<3, T, Q> &);
KA_GLM_Q mat<4, 4, T, Q> translate(const mat<4, 4, T, Q> &, const vec<3, T, Q> &); KA_GLM_Q mat<4, 4, T, Q> scale(const mat<4, 4, T, Q> &, const vec<3, T, Q> &);
KA_GLM_Q mat<4, 4, T, Q> lookAt(const vec<3, T, Q> &, const vec<3, T, Q> &, const vec<3, T, Q> &); KA_GLM_Q qua<T, Q> slerp(const qua<T, Q> &, const qua<T, Q> &, T);
KA_GLM_Q qua<T, Q> lerp(const qua<T, Q> &, const qua<T, Q> &, T); template <class T> KA_GLM mat<4, 4, T> perspective(T, T, T, T);
template <class T> KA_GLM mat<4, 4, T> ortho(T, T, T, T, T, T);
#define KA_GLM_1(n) KA_GLM_V vec<L, T, Q> n(const vec<L, T, Q> &); template <class T, class = KaNumber<T>> KA_GLM T n(T);
KA_GLM_1(abs) KA_GLM_1(sign) KA_GLM_1(floor) KA_GLM_1(ceil) KA_GLM_1(round) KA_GLM_1(trunc) KA_GLM_1(fract) KA_GLM_1(exp) KA_GLM_1(exp2) KA_GLM_1(log) KA_GLM_1(log2)
KA_GLM_1(sqrt) KA_GLM_1(inversesqrt) KA_GLM_1(sin) KA_GLM_1(cos) KA_GLM_1(tan) KA_GLM_1(asin) KA_GLM_1(acos) KA_GLM_1(atan) KA_GLM_1(tanh) KA_GLM_1(radians) KA_GLM_1(degrees)
#define KA_GLM_2(n) KA_GLM_V vec<L, T, Q> n(const vec<L, T, Q> &, const vec<L, T, Q> &); KA_GLM_V vec<L, T, Q> n(const vec<L, T, Q> &, T); \
  template <class T, class = KaNumber<T>> KA_GLM T n(T, T);
KA_GLM_2(min) KA_GLM_2(max) KA_GLM_2(pow) KA_GLM_2(mod) KA_GLM_2(atan) KA_GLM_2(step)
#define KA_GLM_3(n) KA_GLM_V vec<L, T, Q> n(const vec<L, T, Q> &, const vec<L, T, Q> &, const vec<L, T, Q> &); \
  KA_GLM_V vec<L, T, Q> n(const vec<L, T, Q> &, T, T); template <class T, class = KaNumber<T>> KA_GLM T n(T, T, T);
KA_GLM_3(clamp) KA_GLM_3(smoothstep) KA_GLM_3(fma) template <class V, class A> KA_GLM V mix(const V &, const V &, const A &);
#define KA_GLM_C(n) KA_GLM_V vec<L, bool, Q> n(const vec<L, T, Q> &, const vec<L, T, Q> &);
KA_GLM_C(lessThan) KA_GLM_C(lessThanEqual) KA_GLM_C(greaterThan) KA_GLM_C(greaterThanEqual) KA_GLM_C(equal) KA_GLM_C(notEqual)
template <int L, qualifier Q> KA_GLM bool any(const vec<L, bool, Q> &); template <int L, qualifier Q> KA_GLM bool all(const vec<L, bool, Q> &);
KA_GLM_V vec<L, bool, Q> isnan(const vec<L, T, Q> &); KA_GLM_V vec<L, bool, Q> isinf(const vec<L, T, Q> &);
template <class T = float> KA_GLM constexpr T pi() { return T(3.14159265358979323846); } template <class T = float> KA_GLM constexpr T epsilon() { return std::numeric_limits<T>::epsilon(); }
template <class T> KA_GLM vec<2, T> make_vec2(const T *); template <class T> KA_GLM vec<3, T> make_vec3(const T *); template <class T> KA_GLM vec<4, T> make_vec4(const T *);
template <class T> KA_GLM mat<2, 2, T> make_mat2(const T *); template <class T> KA_GLM mat<3, 3, T> make_mat3(const T *); template <class T> KA_GLM mat<4, 4, T> make_mat4(const T *);
template <class T> KA_GLM qua<T> make_quat(const T *); KA_GLM_V const T *value_ptr(const vec<L, T, Q> &); KA_GLM_V T *value_ptr(vec<L, T, Q> &);
KA_GLM_M const T *value_ptr(const mat<C, R, T, Q> &); KA_GLM_M T *value_ptr(mat<C, R, T, Q> &);
#define KA_GLM_T(p, T) typedef vec<1, T> p##vec1; typedef vec<2, T> p##vec2; typedef vec<3, T> p##vec3; typedef vec<4, T> p##vec4;
KA_GLM_T(, float) KA_GLM_T(f, float) KA_GLM_T(d, double) KA_GLM_T(i, int) KA_GLM_T(u, unsigned) KA_GLM_T(b, bool) KA_GLM_T(i32, int) KA_GLM_T(u32, unsigned)
KA_GLM_T(u8, unsigned char) KA_GLM_T(i64, long long) KA_GLM_T(u64, unsigned long long) KA_GLM_T(u16, unsigned short) KA_GLM_T(i16, short)
#define KA_GLM_T3(p, T) typedef mat<2, 2, T> p##mat2, p##mat2x2; typedef mat<3, 3, T> p##mat3, p##mat3x3; typedef mat<4, 4, T> p##mat4, p##mat4x4; \
  typedef mat<2, 3, T> p##mat2x3; typedef mat<2, 4, T> p##mat2x4; typedef mat<3, 2, T> p##mat3x2; typedef mat<3, 4, T> p##mat3x4; typedef mat<4, 2, T> p##mat4x2; \
  typedef mat<4, 3, T> p##mat4x3; typedef qua<T> p##quat;
KA_GLM_T3(, float) KA_GLM_T3(f, float) KA_GLM_T3(d, double)
}
