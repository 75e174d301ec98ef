// AT_DISPATCH_…: an immediately called lambda with a switch, one copy of the body for each type, as the real ones.
#pragma once
#include <kadvise_torch/checks.h>

#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) [&] { const auto &the_type = TYPE; ::c10::ScalarType _st = the_type; \
  switch (_st) { __VA_ARGS__ default: TORCH_CHECK(false, NAME); } }()
#define AT_DISPATCH_CASE(E, ...) case E: { using scalar_t [[maybe_unused]] = ::ka_detail::cpp_t<E>; \
  return __VA_ARGS__(); }
namespace ka_detail { template <c10::ScalarType> struct C { typedef float t; };
#define KA_CT(e, T) template <> struct C<c10::ScalarType::e> { typedef T t; };
KA_CT(Byte, uint8_t) KA_CT(Char, int8_t) KA_CT(Short, int16_t) KA_CT(Int, int) KA_CT(Long, int64_t) KA_CT(Half,
  c10::Half) KA_CT(Double, double) KA_CT(Bool, bool) KA_CT(BFloat16, c10::BFloat16) KA_CT(ComplexFloat,
  c10::complex<float>) KA_CT(ComplexDouble, c10::complex<double>)
template <c10::ScalarType E> using cpp_t = typename C<E>::t; }
#define KA_C(e, ...) AT_DISPATCH_CASE(::c10::ScalarType::e, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) KA_C(Double, __VA_ARGS__) KA_C(Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...) KA_C(Byte, __VA_ARGS__) KA_C(Char, __VA_ARGS__) KA_C(Int, __VA_ARGS__) \
  KA_C(Long, __VA_ARGS__) KA_C(Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define KA_CX(...) KA_C(ComplexDouble, __VA_ARGS__) KA_C(ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES KA_CX
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KA_CX(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KA_CX(__VA_ARGS__)
#define KA_DISP(G, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_##G(__VA_ARGS__))
#define KA_DISP1(G, A, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, \
  AT_DISPATCH_CASE_##G(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__))
#define KA_DISP2(G, A, B, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, \
  AT_DISPATCH_CASE_##G(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__))
#define KA_DISP3(G, A, B, C, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, \
  AT_DISPATCH_CASE_##G(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, \
  __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES(T, N, ...) KA_DISP(FLOATING_TYPES, T, N, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(T, N, ...) KA_DISP1(FLOATING_TYPES, ::c10::ScalarType::Half, T, N, \
  __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(A, T, N, ...) KA_DISP1(FLOATING_TYPES, A, T, N, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, T, N, ...) KA_DISP2(FLOATING_TYPES, A, B, T, N, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(A, B, C, T, N, ...) KA_DISP3(FLOATING_TYPES, A, B, C, T, N, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(T, N, ...) AT_DISPATCH_SWITCH(T, N, KA_C(Half, \
  __VA_ARGS__) KA_C(BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(T, N, ...) KA_DISP(INTEGRAL_TYPES, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(T, N, ...) KA_DISP(ALL_TYPES, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(A, T, N, ...) KA_DISP1(ALL_TYPES, A, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, T, N, ...) KA_DISP2(ALL_TYPES, A, B, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, T, N, ...) KA_DISP3(ALL_TYPES, A, B, C, T, N, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(T, N, ...) KA_DISP(COMPLEX_TYPES, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(T, N, ...) KA_DISP(ALL_TYPES_AND_COMPLEX, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(A, T, N, ...) KA_DISP1(ALL_TYPES_AND_COMPLEX, A, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(A, B, T, N, ...) KA_DISP2(ALL_TYPES_AND_COMPLEX, A, B, T, N, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(A, B, C, T, N, ...) KA_DISP3(ALL_TYPES_AND_COMPLEX, A, B, C, T, N, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(T, N, ...) KA_DISP(FLOATING_AND_COMPLEX_TYPES, T, N, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(A, T, N, ...) KA_DISP1(FLOATING_AND_COMPLEX_TYPES, A, T, N, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(A, B, T, N, ...) KA_DISP2(FLOATING_AND_COMPLEX_TYPES, A, B, T, N, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(T, N, ...) [&] { switch (::c10::ScalarType(T)) \
  { case ::c10::ScalarType::Int: { using index_t = int; return __VA_ARGS__(); } \
  case ::c10::ScalarType::Long: { using index_t = int64_t; return __VA_ARGS__(); } default: TORCH_CHECK(false, N); } \
  }()
