#include "kernels/rowprogram/prelude.h"

#include <string>

namespace kadvise::rowprogram {
namespace {

constexpr std::string_view kTypes = R"(
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long long u64; typedef long long i64;
)";

// What no kernel writes is read once, through the read-only path, which on an H200 is 2 to 5 % faster than
// loads that leave the L1 cache alone; what an output may lie over is read first, and then written.
constexpr std::string_view kMachine = R"(
#ifndef KADVISE_EMULATION
#define DEV static __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define SHARED __shared__
#define SHARED_BYTES extern __shared__ __align__(16) u8 shared_bytes[]
template <class T> DEV T once(const T* p) { return *p; }
DEV void once16(u32* d, const void* p) { asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "l"(p)); }
DEV void once8(u32* d, const void* p) { asm volatile("ld.global.nc.v2.u32 {%0,%1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "l"(p)); }
DEV void once4(u32* d, const void* p) { asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(d[0]) : "l"(p)); }
DEV void first16(u32* d, const void* p) { asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "l"(p) : "memory"); }
DEV void first8(u32* d, const void* p) { asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "l"(p) : "memory"); }
DEV void first4(u32* d, const void* p) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(d[0]) : "l"(p) : "memory"); }
DEV void put16(void* p, const u32* d) { asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" :: "l"(p), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]) : "memory"); }
DEV void put8(void* p, const u32* d) { asm volatile("st.global.v2.u32 [%0], {%1,%2};" :: "l"(p), "r"(d[0]), "r"(d[1]) : "memory"); }
DEV void put4(void* p, const u32* d) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(d[0]) : "memory"); }
template <class T> DEV void put(T* p, T v) { *p = v; }
DEV void near16(u32* d, const void* p) { uint4 v = *(const uint4*)p; d[0] = v.x; d[1] = v.y; d[2] = v.z; d[3] = v.w; }
DEV void set_near16(void* p, const u32* d) { *(uint4*)p = make_uint4(d[0], d[1], d[2], d[3]); }
DEV float half_float(u32 bits) { float f; asm("{.reg .b16 h, t; mov.b32 {h, t}, %1; cvt.f32.f16 %0, h;}" : "=f"(f) : "r"(bits)); return f; }
DEV u32 halves(float low, float high) { u32 r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
DEV u32 bfloats(float low, float high) { u32 r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
DEV float larger(float a, float b) { float r; asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
DEV float smaller(float a, float b) { float r; asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
DEV float fast_exp2(float x) { float r; asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV float fast_exp2_ftz(float x) { float r; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV float fast_rcp_ftz(float x) { float r; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV float fast_div(float a, float b) { float r; asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
DEV float fast_rcp(float x) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV float fast_rsqrt(float x) { float r; asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV float fast_log2(float x) { float r; asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
template <int N> DEV void forget(u32 (&words)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+r"(words[i]));
}
DEV void stop() { asm volatile("trap;"); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
DEV void peers_leave() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
DEV void peers_left() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
DEV void peers_meet() { peers_leave(); peers_left(); }
template <class T> DEV T of_peer(const T* p, u32 peer) {
  union { T v; u32 words[sizeof(T) / 4]; } u; u32 far;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"((u32)__cvta_generic_to_shared(p)), "r"(peer));
  for (int i = 0; i < (int)(sizeof(T) / 4); ++i) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(u.words[i]) : "r"(far + 4 * i) : "memory");
  return u.v;
}
#endif
#endif
)";

// Vectors that begin anywhere: the pieces of aligned memory that they lie in, and what is made of them. Of a
// piece that reaches out of the tensor, from `low` to `high`, only the words and elements within are read.
// The last piece is read only where the vector reaches into it.
constexpr std::string_view kShifted = R"(
DEV void piece(u32 (&w)[4], const char* p) { once16(w, p); }
DEV void piece(u32 (&w)[2], const char* p) { once8(w, p); }
DEV void piece(u32 (&w)[1], const char* p) { once4(w, p); }
template <int Size> DEV u32 word_within(const char* p, const char* low, const char* high) {
  u32 w = 0;
  if (p >= low && p + 4 <= high) once4(&w, p);
  else if (Size == 2 && p >= low && p + 2 <= high) w = once((const u16*)p);
  else if (Size == 2 && p + 2 >= low && p + 4 <= high) w = (u32)once((const u16*)(p + 2)) << 16;
  else if (Size == 1) {
#pragma unroll 1
    for (int b = 0; b < 4; ++b) if (p + b >= low && p + b < high) w |= (u32)once((const u8*)p + b) << 8 * b;
  }
  return w;
}
template <int Words, int Piece, int Size> DEV void pieces_of(u32* y, const char* p, const char* low, const char* high) {
  const u32 before = (u32)(u64)p % (4 * Piece);
#pragma unroll
  for (int i = 0; i < Words + Piece; i += Piece) {
    const char* q = p - before + 4 * i;
    u32 one[Piece] = {};
    if (i < Words || before) {
      if (q >= low && q + 4 * Piece <= high) piece(one, q);
      else {
#pragma unroll
        for (int j = 0; j < Piece; ++j) one[j] = word_within<Size>(q + 4 * j, low, high);
      }
    }
#pragma unroll
    for (int j = 0; j < Piece; ++j) y[i + j] = one[j];
  }
}
template <int Words, int Piece> DEV void shifted(u32* d, u32* y, u32 before) {
#pragma unroll
  for (int by = Piece / 2; by > 0; by /= 2) {
    const bool far = before & 4 * by;
#pragma unroll
    for (int i = 0; i + by < Words + Piece; ++i) y[i] = far ? y[i + by] : y[i];
  }
#pragma unroll
  for (int i = 0; i < Words; ++i) d[i] = (u32)(((u64)y[i + 1] << 32 | y[i]) >> before % 4 * 8);
}
)";

constexpr std::string_view kElements = R"(
DEV float bits_float(u32 bits) { return __uint_as_float(bits); }
DEV u32 float_bits(float v) { return __float_as_uint(v); }
#define INF bits_float(0x7f800000u)
#define NOT_A_NUMBER bits_float(0x7fc00000u)
DEV float of_bfloat16(u32 bits) { return bits_float(bits << 16); }
DEV float round_float16(float v) { return half_float(halves(v, 0.f)); }
DEV float round_bfloat16(float v) { return of_bfloat16(bfloats(v, 0.f) & 0xffffu); }
DEV float get_float32(const u32* q, int j) { return bits_float(q[j]); }
DEV float get_bfloat16(const u32* q, int j) { return j & 1 ? bits_float(q[j >> 1] & 0xffff0000u) : bits_float(q[j >> 1] << 16); }
DEV float get_float16(const u32* q, int j) { return half_float(j & 1 ? q[j >> 1] >> 16 : q[j >> 1] & 0xffffu); }
DEV i64 get_int64(const u32* q, int j) { return (i64)((u64)q[2 * j] | (u64)q[2 * j + 1] << 32); }
DEV i64 get_int32(const u32* q, int j) { return (int)q[j]; }
DEV i64 get_int16(const u32* q, int j) { return (short)(q[j >> 1] >> (j & 1) * 16); }
DEV i64 get_int8(const u32* q, int j) { return (signed char)(q[j >> 2] >> (j & 3) * 8); }
DEV i64 get_uint8(const u32* q, int j) { return (u8)(q[j >> 2] >> (j & 3) * 8); }
DEV bool get_bool(const u32* q, int j) { return (u8)(q[j >> 2] >> (j & 3) * 8) != 0; }
struct Bits { u32 words[2]; };
DEV Bits bits_of(const void* number) { return {{(u32)(u64)number, (u32)((u64)number >> 32)}}; }
DEV float get_float32_at(const void* p, u64 i) { return bits_float(once((const u32*)p + i)); }
DEV float get_bfloat16_at(const void* p, u64 i) { return of_bfloat16(once((const u16*)p + i)); }
DEV float get_float16_at(const void* p, u64 i) { return half_float(once((const u16*)p + i)); }
DEV i64 get_int64_at(const void* p, u64 i) { return once((const i64*)p + i); }
DEV i64 get_int32_at(const void* p, u64 i) { return once((const int*)p + i); }
DEV i64 get_int16_at(const void* p, u64 i) { return once((const short*)p + i); }
DEV i64 get_int8_at(const void* p, u64 i) { return once((const signed char*)p + i); }
DEV i64 get_uint8_at(const void* p, u64 i) { return once((const u8*)p + i); }
DEV bool get_bool_at(const void* p, u64 i) { return once((const u8*)p + i) != 0; }
DEV void set_64(u32* q, int j, u64 bits) { q[2 * j] = (u32)bits; q[2 * j + 1] = (u32)(bits >> 32); }
DEV void set_32(u32* q, int j, u64 bits) { q[j] = (u32)bits; }
DEV void set_16(u32* q, int j, u64 bits) { q[j >> 1] = j & 1 ? (q[j >> 1] & 0xffffu) | (u32)bits << 16 : (u32)bits & 0xffffu; }
DEV void set_8(u32* q, int j, u64 bits) { u32 s = (j & 3) * 8; q[j >> 2] = j & 3 ? (q[j >> 2] & ~(0xffu << s)) | ((u32)bits & 0xffu) << s : (u32)bits & 0xffu; }
DEV u32 bits_float32(float v) { return float_bits(v); }
DEV u32 bits_float16(float v) { return halves(v, 0.f) & 0xffffu; }
DEV u32 bits_bfloat16(float v) { return bfloats(v, 0.f) & 0xffffu; }
DEV u64 bits_int64(i64 v) { return (u64)v; }
DEV u32 bits_int32(i64 v) { return (u32)v; }
DEV u32 bits_int16(i64 v) { return (u32)v & 0xffffu; }
DEV u32 bits_int8(i64 v) { return (u32)v & 0xffu; }
DEV u32 bits_uint8(i64 v) { return (u32)v & 0xffu; }
DEV u32 bits_bool(bool v) { return v ? 1u : 0u; }
)";

// Functions of the language that CUDA has no operator for. `fast_` ones are for values that end in 16 bits.
// exp_of_sum is for x <= 0 in a sum that 1 is part of: where the error of x * log2(e) is large, the term is
// small. by_row divides by what a whole row shares: a product and one step of Newton, which rounds as a
// division does. normal_tail(a) is erfc(a / sqrt 2) / 2 as a power of two whose exponent is a polynomial
// (weighted minimax on [0, 9], relative error 9.4e-6 up to 5, falling to 0 beyond), so gelu keeps its digits
// where it is small: x Phi(x) = max(x, 0) - |x| tail(|x|).
constexpr std::string_view kFunctions = R"(
DEV i64 larger(i64 a, i64 b) { return a > b ? a : b; }
DEV i64 smaller(i64 a, i64 b) { return a < b ? a : b; }
DEV bool is_nan(float x) { return x != x; }
DEV float fast_exp(float x) { return fast_exp2(x * 1.442695041f); }
DEV float exp_of_sum(float x) { return fast_exp2_ftz(x * 1.442695041f); }
DEV float fast_log(float x) { return fast_log2(x) * 0.6931471806f; }
DEV float sigmoid(float x) { return __fdiv_rn(1.f, __fadd_rn(1.f, expf(-x))); }
DEV float fast_sigmoid(float x) { return fast_rcp_ftz(1.f + fast_exp2_ftz(x * -1.442695041f)); }
DEV float silu(float x) { return __fdiv_rn(x, __fadd_rn(1.f, expf(-x))); }
DEV float fast_silu(float x) { return x * fast_sigmoid(x); }
DEV float gelu(float x) { return __fmul_rn(__fmul_rn(x, 0.5f), __fadd_rn(1.f, erff(__fmul_rn(x, 0.70710678118f)))); }
DEV float normal_tail(float a) {
  float p = -1.548937e-6f;
  p = __fmaf_rn(p, a, 5.5605025e-5f); p = __fmaf_rn(p, a, -8.8117179e-4f); p = __fmaf_rn(p, a, 8.3054658e-3f);
  p = __fmaf_rn(p, a, -5.3528827e-2f); p = __fmaf_rn(p, a, -0.45891345f); p = __fmaf_rn(p, a, -1.1510642f);
  return fast_exp2_ftz(__fmaf_rn(p, a, -1.0000116f));
}
DEV float fast_gelu(float x) {
  float half = 0.5f * fabsf(x), a = fminf(fabsf(x), 1e30f);
  return __fmaf_rn(-a, normal_tail(a), __fmaf_rn(0.5f, x, half));
}
DEV float gelu_slope(float x) { float c = __fmul_rn(__fmul_rn(x, x), x); return __fmul_rn(0.79788456080f, __fadd_rn(x, __fmul_rn(0.044715f, c))); }
DEV float gelu_tanh(float x) { return __fmul_rn(__fmul_rn(0.5f, x), __fadd_rn(1.f, tanhf(gelu_slope(x)))); }
DEV float fast_gelu_tanh(float x) { return x * fast_rcp_ftz(1.f + fast_exp2_ftz(x * __fmaf_rn(x * x, -0.10294324f, -2.3022082f))); }
DEV float softplus(float x) { return x > 20.f ? x : log1pf(expf(x)); }
DEV float mish(float x) { return __fmul_rn(x, tanhf(log1pf(expf(x)))); }
DEV float logsigmoid(float x) { return __fadd_rn(smaller(x, 0.f), -log1pf(expf(-fabsf(x)))); }
DEV float relu(float x) { return larger(x, 0.f); }
DEV float within(float x, float low, float high) { return smaller(larger(x, low), high); }
DEV i64 within(i64 x, i64 low, i64 high) { return smaller(larger(x, low), high); }
DEV float hardsigmoid(float x) { return __fmul_rn(within(__fadd_rn(x, 3.f), 0.f, 6.f), 0.16666667f); }
DEV float hardswish(float x) { return __fmul_rn(__fmul_rn(x, within(__fadd_rn(x, 3.f), 0.f, 6.f)), 0.16666667f); }
DEV float sign_of(float x) { return (float)((x > 0.f) - (x < 0.f)); }
DEV i64 sign_of(i64 x) { return (x > 0) - (x < 0); }
DEV float elu(float x, float alpha) { return x > 0.f ? x : __fmul_rn(expm1f(x), alpha); }
DEV i64 quotient(i64 a, i64 b) { return b == 0 ? 0 : b == -1 ? (i64)(0ull - (u64)a) : a / b; }
DEV i64 fmod_of(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
DEV i64 remainder_of(i64 a, i64 b) { i64 r = fmod_of(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
DEV i64 floor_div(i64 a, i64 b) { i64 q = quotient(a, b); return fmod_of(a, b) != 0 && (a < 0) != (b < 0) ? q - 1 : q; }
DEV float fmod_of(float a, float b) { return fmodf(a, b); }
DEV float remainder_of(float a, float b) { float r = fmodf(a, b); return r != 0.f && (r < 0.f) != (b < 0.f) ? __fadd_rn(r, b) : r; }
DEV float floor_div(float a, float b) {
  if (b == 0.f) return __fdiv_rn(a, b);
  float r = fmodf(a, b), q = __fdiv_rn(__fadd_rn(a, -r), b);
  if (r != 0.f && (b < 0.f) != (r < 0.f)) q = __fadd_rn(q, -1.f);
  if (q == 0.f) return copysignf(0.f, __fdiv_rn(a, b));
  float f = floorf(q);
  return q - f > 0.5f ? f + 1.f : f;
}
DEV i64 power(i64 a, i64 n) { if (n < 0) return a == 1 ? 1 : a == -1 ? (n & 1 ? -1 : 1) : 0; u64 r = 1, b = (u64)a; for (; n; n >>= 1, b *= b) if (n & 1) r *= b; return (i64)r; }
)";

// Partial results of reductions, and how lanes and warps join them: always in the same order.
constexpr std::string_view kReductions = R"(
template <class T> struct Found { T v; i64 at; };
struct Sum { template <class A> static DEV_MEMBER A join(A a, A b) { return a + b; } };
struct Prod { template <class A> static DEV_MEMBER A join(A a, A b) { return a * b; } };
struct Max { template <class A> static DEV_MEMBER A join(A a, A b) { return larger(a, b); } };
struct Min { template <class A> static DEV_MEMBER A join(A a, A b) { return smaller(a, b); } };
struct Any { static DEV_MEMBER bool join(bool a, bool b) { return a || b; } };
struct All { static DEV_MEMBER bool join(bool a, bool b) { return a && b; } };
template <class T> DEV bool first_of(Found<T> a, Found<T> b, bool before) {
  if (a.at < 0 || b.at < 0) return b.at < 0;
  bool an = a.v != a.v, bn = b.v != b.v;
  return an != bn ? an : an || a.v == b.v ? a.at < b.at : before;
}
struct Argmax { template <class T> static DEV_MEMBER Found<T> join(Found<T> a, Found<T> b) { return first_of(a, b, a.v > b.v) ? a : b; } };
struct Argmin { template <class T> static DEV_MEMBER Found<T> join(Found<T> a, Found<T> b) { return first_of(a, b, a.v < b.v) ? a : b; } };
struct alignas(16) Moments { float n, sum, far; };
struct Peak { float most, sum; };
DEV float share(float n) { return n > 0.f ? fast_rcp_ftz(n) : 0.f; }
struct Joint {
  static DEV_MEMBER Moments join(Moments a, Moments b) {
    float n = a.n + b.n, weight = __fmul_rn(__fmul_rn(a.n, b.n), share(n));
    float d = __fadd_rn(__fmul_rn(a.sum, share(a.n)), -__fmul_rn(b.sum, share(b.n)));
    return Moments{n, a.sum + b.sum, __fadd_rn(__fadd_rn(a.far, b.far), __fmul_rn(__fmul_rn(d, weight), d))};
  }
  static DEV_MEMBER Peak join(Peak a, Peak b) {
    float most = larger(a.most, b.most), least = smaller(a.most, b.most), scale = least == most ? 1.f : fast_exp(least - most);
    return Peak{most, a.most == most ? __fmaf_rn(b.sum, scale, a.sum) : __fmaf_rn(a.sum, scale, b.sum)};
  }
};
template <int N> DEV float in_pairs(float* v) {
#pragma unroll
  for (int half = N / 2; half > 0; half /= 2) {
#pragma unroll
    for (int i = 0; i < half; ++i) v[i] = v[i] + v[i + half];
  }
  return v[0];
}
DEV float of_lane(float v, int o) { return __shfl_xor_sync(0xffffffffu, v, o); }
DEV i64 of_lane(i64 v, int o) { return __shfl_xor_sync(0xffffffffu, v, o); }
DEV bool of_lane(bool v, int o) { return __shfl_xor_sync(0xffffffffu, v ? 1 : 0, o) != 0; }
template <class T> DEV Found<T> of_lane(Found<T> v, int o) { return Found<T>{of_lane(v.v, o), of_lane(v.at, o)}; }
DEV Moments of_lane(Moments v, int o) { return Moments{of_lane(v.n, o), of_lane(v.sum, o), of_lane(v.far, o)}; }
DEV Peak of_lane(Peak v, int o) { return Peak{of_lane(v.most, o), of_lane(v.sum, o)}; }
template <class Op, int Lanes, class A> DEV A across_lanes(A a) {
#pragma unroll
  for (int o = Lanes / 2; o > 0; o >>= 1) a = Op::join(a, of_lane(a, o));
  return a;
}
template <class Op, int Warps, int Lanes, class A> DEV A across_warps(const A* warps, A none) {
  int i = threadIdx.x & (Lanes - 1);
  return across_lanes<Op, Lanes>(i < Warps ? warps[i] : none);
}
)";

}  // namespace

std::string_view prelude() {
  static const std::string text = [] {
    std::string all(kTypes);
    all += kMachine;
    all += "#define DEV_MEMBER __device__ __forceinline__\n";
    all += kShifted;
    all += kElements;
    all += kFunctions;
    all += kReductions;
    return all;
  }();
  return text;
}

}  // namespace kadvise::rowprogram
