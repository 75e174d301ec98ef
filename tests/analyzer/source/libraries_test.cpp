// Libraries beside CUDA and LibTorch of which kadvise brings declarations, as projects use them.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

TEST(Libraries, VectorsOfGlmAreThere) {
  EXPECT_EQ(errorsOf(R"(
#define GLM_FORCE_CUDA
#include <glm/glm.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <glm/gtx/quaternion.hpp>
__device__ glm::mat3 covariance(const glm::vec3 scale, float mod, const glm::vec4 rot) {
  glm::mat3 s = glm::mat3(1.0f);
  s[0][0] = mod * scale.x;
  float r = rot.x;
  glm::mat3 q = glm::mat3(1.f - 2.f * r, r, r, r, 1.f, r, r, r, 1);
  glm::mat3x4 p = glm::mat3x4(glm::vec4(scale, 0.0), glm::vec4(scale, 0.0), rot);
  glm::vec4 row = glm::transpose(p)[0].x * rot + 2 * rot / 3.f - -rot;
  return glm::transpose(s * q) * (s * q) + glm::outerProduct(scale, scale) * row[1];
}
__global__ void k(const float* x, glm::vec3* out, glm::fquat turn) {
  glm::fvec3 a = glm::make_vec3(x), b{x[0], 1, 2.0};
  a += glm::max(b, 0.f) * glm::mat3_cast(turn);
  out[threadIdx.x] = glm::normalize(a - b) * glm::length(a) + glm::cross(a, b) * glm::clamp(b.x, 0.f, 1.f);
  out[0].x = glm::dot(a, glm::vec3(glm::vec2(b), b.z)) + glm::value_ptr(a)[2] + glm::mix(a.x, b.y, .5f);
}
static_assert(sizeof(glm::vec3) == 12 && sizeof(glm::mat4) == 64);
)"),
            "");
}

TEST(Libraries, RandomAndSparseCallsOfTheHostAreThere) {
  EXPECT_EQ(errorsOf(R"(
#include <curand.h>
#include <cusparse.h>
#include <thrust/device_vector.h>
#include <thrust/transform_reduce.h>
#include <cmath>
void f(float* x, cusparseHandle_t handle, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, thrust::device_vector<float>& v) {
  curandGenerator_t g;
  if (curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT) != CURAND_STATUS_SUCCESS) return;
  curandSetPseudoRandomGeneratorSeed(g, 1234ull), curandGenerateNormal(g, x, 10, 0, 1);
  cusparseMatDescr_t d;
  cusparseCreateMatDescr(&d), cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_GENERAL);
  float one = 1;
  size_t bytes;
  cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &one, a, b, &one, b, CUDA_R_32F,
                          CUSPARSE_SPMM_CSR_ALG2, &bytes);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, f);
  float n = std::sqrt(thrust::transform_reduce(v.begin(), v.end(), thrust::square<float>(), 0.0f, thrust::plus<float>()));
  n += std::sqrt(thrust::reduce(thrust::device, v.begin(), v.end(), 0.0f)) + attributes.numRegs;
  float all = thrust::reduce(v.begin(), v.end());
}
)"),
            "");
}

// Of torch's own headers: <cmath> and <cassert>, and what a module of the stable interface needs.
TEST(Libraries, WhatLibTorchIncludesIsThere) {
  EXPECT_EQ(errorsOf(R"(
#include <Python.h>
#include <torch/extension.h>
extern "C" {
PyMODINIT_FUNC PyInit__C(void) {
  static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_C", NULL, -1, NULL};
  return PyModule_Create(&module_def);
}
}
float f(at::Tensor x, float y) {
  assert(x.dim() == 1);
  x.resize_as_(at::sum_out(x, x, {0})).transpose_(0, 1), x.prod().t_();
  return std::exp(y) + powf(y, 2) + sqrt(y) + std::max(y, 1.f);
}
)",
                     "test.cpp"),
            "");
}

TEST(Libraries, PlacesOfThrustAreJoined) {
  EXPECT_EQ(errorsOf(R"(
#include <cusolverDn.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/transform.h>
float f(thrust::device_vector<float>& v, float low) {
  using namespace thrust::placeholders;
  thrust::transform(v.begin(), v.end(), v.begin(), low + _1 * (2.f - low));
  auto ends = thrust::minmax_element(v.begin(), v.end());
  cusolverDnHandle_t handle;
  if (cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) return 0;
  return *ends.second - *ends.first;
}
)"),
            "");
}

}  // namespace
}  // namespace kadvise::source
