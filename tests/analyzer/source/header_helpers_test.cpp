// Kernels whose threads wait for each other in functions of the project's headers.
#include <gtest/gtest.h>

#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

const char* const kSum = R"(#pragma once
template <typename T>
__device__ T blockSum(T value, T* buffer) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_down_sync(0xffffffff, value, o);
  if (threadIdx.x % 32 == 0) buffer[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += buffer[w];
  return sum;
}
)";

LintResult lintedWith(const std::string& include, const std::string& text,
                      const std::vector<std::string>& rules) {
  test::TemporaryFolder folder;
  folder.write("LICENSE", "");
  folder.write("include/parts/sum.h", kSum);
  return linted("#include " + include + "\n" + text, rules, (folder.path / "src" / "k.cu").string());
}

const char* const kTwice = R"(__global__ void norm(const float* x, float* y) {
  __shared__ float buffer[32];
  float a = blockSum(x[threadIdx.x], buffer);
  float b = blockSum(x[threadIdx.x] * a, buffer);
  y[threadIdx.x] = b;
}
void run(const float* x, float* y) { norm<<<1, 256>>>(x, y); }
)";

TEST(HeaderHelpers, ARaceInOneIsShownWhereTheKernelCallsIt) {
  for (std::string include : {"<parts/sum.h>", "\"../include/parts/sum.h\""}) {
    auto r = lintedWith(include, kTwice, {"cuda/missing-barrier"});
    ASSERT_EQ(r.findings.size(), 1u) << include;
    EXPECT_EQ(r.findings[0].where.line, 5);
    ASSERT_EQ(r.findings[0].related.size(), 1u);
    EXPECT_EQ(r.findings[0].related[0].line, 4);
  }
}

TEST(HeaderHelpers, ABarrierBetweenTwoCallsEndsTheRace) {
  std::string text = kTwice;
  text.insert(text.find("  float b"), "  __syncthreads();\n");
  EXPECT_TRUE(lintedWith("<parts/sum.h>", text, {"cuda/missing-barrier"}).findings.empty());
}

TEST(HeaderHelpers, NotAllThreadsComeToABarrierInOne) {
  auto r = lintedWith("<parts/sum.h>", R"(__global__ void sum(const float* x, float* y, int n) {
  __shared__ float buffer[32];
  if (threadIdx.x < n) y[threadIdx.x] = blockSum(x[threadIdx.x], buffer);
}
void run(const float* x, float* y, int n) { sum<<<1, 256>>>(x, y, n); }
)",
                      {"cuda/barrier-divergent"});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 4);
}

}  // namespace
}  // namespace kadvise::source
