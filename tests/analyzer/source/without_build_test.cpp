// What is read of a project that nobody built, by kadvise's own words and declarations.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

TEST(WithoutABuild, AProjectIsReadAsBuiltWithCuda) {
  for (std::string word : {"WITH_CUDA", "USE_CUDA", "HAVE_CUDA"})
    EXPECT_EQ(linted("#ifdef " + word + "\n__global__ void k(float* x) { x[0] = 0; }\n#endif\n", {}).kernels,
              1)
        << word;
}

// A macro of that name would break what the file itself calls so.
TEST(WithoutABuild, WhatTheFileCallsSoIsItsOwn) {
  auto r = linted(R"(
enum { WITH_CUDA, WITHOUT };
constexpr bool HAVE_CUDA = true;
template <bool USE_CUDA>
__global__ void k(float* x) { if (USE_CUDA && HAVE_CUDA) x[0] = WITH_CUDA; }
template __global__ void k<true>(float*);
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0);
}

TEST(WithoutABuild, StorageOfCubTakesTypesWithConstructors) {
  auto r = linted(R"(
#include <cub/block/block_reduce.cuh>
struct Best {
  float value = 0;
  int at = -1;
};
__global__ void k(float* x) {
  typedef cub::BlockReduce<Best, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  CubDebugExit(cudaGetLastError());
  x[0] = Reduce(storage).Reduce(Best{}, [](Best a, Best b) { return a.value < b.value ? b : a; }).value;
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0);
}

TEST(WithoutABuild, RangesOfIntegersAreDeclared) {
  auto r = linted(R"(
#include <ATen/DeviceGuard.h>
#include <c10/util/irange.h>
int total(int n) {
  int out = 0;
  for (auto i : c10::irange(n)) out += i;
  return out;
}
)",
                  {});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_TRUE(r.parsed.missing.empty());
}

}  // namespace
}  // namespace kadvise::source
