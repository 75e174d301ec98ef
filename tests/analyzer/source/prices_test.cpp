// What findings are said to cost, on the architecture that is asked for.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

std::optional<Price> priceOf(const std::string& text, const std::string& rule, int arch,
                             const std::string& gpu = "") {
  LintSettings settings = stubSettings();
  settings.arch = arch, settings.gpu = gpu;
  auto r = lintFile(rulesNamed({rule}), settings, {"test.cu", text, std::nullopt});
  EXPECT_EQ(r.findings.size(), 1u);
  return r.findings.empty() ? std::nullopt : r.findings[0].price;
}

constexpr const char* kStride =
    "__global__ void k(float* x, int n) { x[threadIdx.x * n + 1] = 1.f; }\nvoid run(float* x) { k<<<1, "
    "64>>>(x, "
    "9); }\n";
constexpr const char* kDouble = "__global__ void k(float* x) { x[threadIdx.x] = x[threadIdx.x] * 0.3; }\n";

TEST(Price, IsTheTrafficOfAnAccess) {
  auto price = priceOf(kStride, "cuda/uncoalesced-access", 90);
  ASSERT_TRUE(price);
  EXPECT_EQ(price->value, 8);
  EXPECT_EQ(price->gpu, "H100");
  EXPECT_EQ(price->words,
            "8x the traffic of this access: at most 419 of the 3350 GB/s of an H100 are of use");
}

TEST(Price, IsOfTheGpuThatWasNamed) {
  auto price = priceOf(kStride, "cuda/uncoalesced-access", 89, "RTX 4090");
  ASSERT_TRUE(price);
  EXPECT_EQ(price->gpu, "RTX 4090");
  EXPECT_EQ(price->words,
            "8x the traffic of this access: at most 126 of the 1008 GB/s of an RTX 4090 are of use");
  EXPECT_EQ(priceOf(kStride, "cuda/uncoalesced-access", 89)->gpu, "L40S");
  EXPECT_EQ(priceOf(kStride, "cuda/uncoalesced-access", 89, "sm_89")->gpu, "L40S");
}

TEST(Price, NamesNoGpuWhereNoneOfTheArchitectureIsKnown) {
  auto price = priceOf(kStride, "cuda/uncoalesced-access", 72);
  ASSERT_TRUE(price);
  EXPECT_EQ(price->gpu, "");
  EXPECT_EQ(price->words, "8x the traffic of this access");
  EXPECT_FALSE(priceOf(kDouble, "cuda/double-literal", 72));
}

TEST(Price, OfDoubleFollowsTheArchitecture) {
  auto large = priceOf(kDouble, "cuda/double-literal", 90),
       small = priceOf(kDouble, "cuda/double-literal", 89);
  ASSERT_TRUE(large && small);
  EXPECT_LT(large->value, 3);
  EXPECT_GT(small->value, 60);
}

TEST(Price, IsTheTurnsOfABankAndTheBytesOfLocalMemory) {
  auto turns = priceOf(
      "__global__ void k(float* x) {\n__shared__ float s[1024];\ns[threadIdx.x * 32] = 1.f;\n"
      "__syncthreads();\nx[threadIdx.x] = s[threadIdx.x];\n}\nvoid run(float* x) { k<<<1, 32>>>(x); }\n",
      "cuda/bank-conflict", 90);
  ASSERT_TRUE(turns);
  EXPECT_EQ(turns->value, 32);
  auto bytes = priceOf("__global__ void k(float* x, int i) { float v[64] = {}; v[i] = x[0]; x[1] = v[0]; }\n",
                       "cuda/dynamic-local-array", 90);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->value, 128);
}

}  // namespace
}  // namespace kadvise::source
