#pragma once
#include <kadvise_cuda.h>
struct curandStateXORWOW { unsigned s[12]; }; typedef curandStateXORWOW curandState, curandState_t;
struct curandStatePhilox4_32_10 { unsigned s[16]; }; typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
template <class S> KA_D void curand_init(unsigned long long, unsigned long long, unsigned long long, S *);
template <class S> KA_D unsigned curand(S *); template <class S> KA_D uint4 curand4(S *);
template <class S> KA_D float curand_uniform(S *); template <class S> KA_D float curand_normal(S *);
template <class S> KA_D double curand_uniform_double(S *);
template <class S> KA_D float4 curand_uniform4(S *); template <class S> KA_D float4 curand_normal4(S *);
template <class S> KA_D float2 curand_normal2(S *);
