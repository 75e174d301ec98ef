#include "analyzer/source/lint_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "analyzer/core/error.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

const char* const kTooLarge = "cuda/block-too-large";

TEST(LintFile, AnErrorInOneFunctionLeavesTheOthersAsTheyAre) {
  auto r = linted(R"(
#include "not/there.h"
__global__ void broken() { undeclared(); int x = ; }
__global__ void k() {}
void run() { k<<<1, 2048>>>(); }
)",
                  {kTooLarge});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 5);
  EXPECT_GT(r.parsed.errorCount, 0);
  EXPECT_EQ(r.parsed.missing, std::vector<std::string>{"not/there.h"});
  EXPECT_EQ(r.kernels, 2);
}

TEST(LintFile, ARepeatInTheSameFunctionIsARelatedPlace) {
  auto r = linted(R"(__global__ void k() {}
void run() {
  k<<<1, 2048>>>();
  k<<<2, 2048>>>();
}
void other() { k<<<1, 4096>>>(); }
)",
                  {kTooLarge});
  ASSERT_EQ(r.findings.size(), 2u);
  ASSERT_EQ(r.findings[0].related.size(), 1u);
  EXPECT_EQ(r.findings[0].related[0].line, 4);
  EXPECT_EQ(r.findings[0].where.scope, "run");
}

TEST(LintFile, EveryFunctionCallsEveryOtherAndNobodyChecksTheLaunch) {
  std::string text = "__global__ void k() {}\n";
  for (int i = 0; i < 60; ++i) text += "void f" + std::to_string(i) + "();\n";
  for (int i = 0; i < 60; ++i) {
    text += "void f" + std::to_string(i) + "() {\n";
    for (int j = 0; j < 60; ++j) text += "  f" + std::to_string(j) + "();\n";
    text += i == 0 ? "  k<<<1, 32>>>();\n}\n" : "}\n";
  }
  EXPECT_EQ(linted(text, {"cuda/unchecked-launch"}).findings.size(), 1u);
}

TEST(LintFile, OnlyTouchedLinesCount) {
  const char* text =
      "__global__ void k() {}\nvoid run() {\n  k<<<1, 2048>>>();\n}\nvoid b() { k<<<1, 4096>>>(); }\n";
  auto r = linted(text, {kTooLarge}, "test.cu", {{{5, 5}}});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 5);
}

TEST(LintFile, AnInstanceOfATemplateIsReportedOnce) {
  auto r = linted(R"(
template <class T> __global__ void k(T* x) { x[threadIdx.x] = x[threadIdx.x] * 0.1; }
void run(float* x, double* y) { k<<<1, 32>>>(x); k<<<1, 32>>>(y); k<<<1, 64>>>(x); }
)",
                  {"cuda/double-literal"});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 2);
}

TEST(LintFile, AVariableInATemplateThatIsMadeOfItsParametersIsRead) {
  auto r = linted(R"(
#include <torch/extension.h>
template <class T> int sizeOf(T t);
template <class T> at::Tensor run(at::Tensor x, T t) {
  int n(sizeOf(t));
  at::Tensor y(sizeOf(t));
  return x * n + y;
}
)",
                  {"libtorch/pointwise-chain", "fusion/silu-written-out"}, "test.cpp");
  EXPECT_EQ(r.parsed.errorCount, 0);
}

TEST(LintFile, AVariableThatIsMadeOfItselfIsNotFollowed) {
  auto r = linted(R"(
template <class T> const T& max(const T& a, const T& b);
__global__ void k(float* x) {
  float* p = p + threadIdx.x;
  float* const q = q;
  p[threadIdx.x * 4] = q[threadIdx.x * 4];
}
void run(float* x) {
  int blocks = max(blocks, 1);
  k<<<blocks, 32>>>(x);
}
)",
                  {"cuda/uncoalesced-access", "cuda/unguarded-index"});
  EXPECT_TRUE(r.findings.empty());
}

TEST(LintFile, ElementsOfNoBytesAndOfManyAreNoAccesses) {
  auto r = linted(R"(
struct Nothing { int a[0]; };
struct Huge { char c[1ll << 33]; };
__global__ void k(Nothing* x, Nothing* y) { y[threadIdx.x * 64] = x[threadIdx.x]; }
__global__ void h(Huge* x) { Huge a = x[threadIdx.x]; }
)",
                  {"cuda/uncoalesced-access"});
  EXPECT_TRUE(r.findings.empty());
}

TEST(LintFile, AToolkitOfABuildThatIsNotHereIsNoToolkit) {
  CompileCommand command;
  command.toolkit = "/not/there";
  LintSettings settings = stubSettings();
  settings.choice = HeaderChoice::Auto;
  auto r =
      lintFile(rulesNamed({kTooLarge}), settings,
               {"test.cu", "__global__ void k() {}\nvoid run() { k<<<1, 2048>>>(); }\n", command, {}, {}});
  EXPECT_EQ(r.tier, Tier::Stub);
  EXPECT_EQ(r.findings.size(), 1u);
}

TEST(LintFile, AnEditInsideAMacroIsNotProposed) {
  auto r = linted(R"(
#define OLD cudaThreadSynchronize()
void run() { OLD; }
)",
                  {"cuda/removed-api"});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_TRUE(r.findings[0].fixes.empty());
}

TEST(LintFile, HostCodeThatTheDevicePassDoesNotSeeIsReadToo) {
  auto r = linted(R"(
__global__ void k() {}
#ifndef __CUDA_ARCH__
void run() { k<<<1, 2048>>>(); }
#endif
void both() { k<<<1, 4096>>>(); }
)",
                  {kTooLarge});
  EXPECT_EQ(r.findings.size(), 2u);
}

TEST(LintFile, HeadersBesideTheSourceAreFoundInAngleBracketsWhereNothingElseHasThem) {
  std::string pattern = (std::filesystem::temp_directory_path() / "kadvise-XXXXXX").string();
  std::filesystem::path folder = ::mkdtemp(pattern.data());
  std::ofstream(folder / "sizes.cuh") << "#define THREADS 2048\n";
  auto r = linted("#include <sizes.cuh>\n__global__ void k() {}\nvoid run() { k<<<1, THREADS>>>(); }\n",
                  {kTooLarge}, (folder / "k.cu").string());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_TRUE(r.parsed.missing.empty());
  EXPECT_EQ(r.parsed.dependencies.size(), 1u);
}

TEST(LintFile, AStatementThatIsAloneOnItsLineIsTakenOutWithIt) {
  const std::string text = R"(__global__ void k(float* x) {
  x[threadIdx.x] = 1.f;
  __syncthreads();
})"
                           "\n";
  auto r = linted(text, {"cuda/redundant-barrier"});
  ASSERT_EQ(r.findings.size(), 1u);
  ASSERT_EQ(r.findings[0].fixes.size(), 1u);
  auto& edit = std::get<std::vector<Edit>>(r.findings[0].fixes[0].change).at(0);
  EXPECT_EQ(text.substr(edit.offset, edit.length), "  __syncthreads();\n");
}

TEST(LintFile, WhatCouldNotBeReadStandsBehindTheBarrierAllTheSame) {
  auto r = linted(R"(__global__ void k(float* x) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = x[blockIdx.x];
  __syncthreads();
  x[threadIdx.x] = sum + kNowhere;
})",
                  {"cuda/redundant-barrier"});
  EXPECT_FALSE(r.parsed.errors.empty());
  EXPECT_TRUE(r.findings.empty());
}

TEST(LintFile, WhatCouldNotBeReadMayFreeAnAllocation) {
  const std::string text = R"(#include <cuda_runtime.h>
void* load(int n) {
  void* raw = nullptr;
  cudaMalloc(&raw, n);
  NOWHERE* out = (NOWHERE*)raw;
  return out;
})";
  EXPECT_TRUE(linted(text, {"cuda/leaked-allocation"}).findings.empty());
  EXPECT_EQ(linted("#define NOWHERE int\nvoid nothing(UNKNOWN);\n" + std::string(R"(#include <cuda_runtime.h>
void load(int n) {
  void* raw = nullptr;
  cudaMalloc(&raw, n);
})"),
                   {"cuda/leaked-allocation"})
                .findings.size(),
            1u);
}

TEST(LintFile, ALaunchThatCouldNotBeReadMayHaveABlockOfAnySize) {
  const std::string kernel = R"(
template <class T> __global__ void k(int n, T* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[i] = 0;
    __syncthreads();
    p[i] += p[0];
  }
}
)";
  auto count = [&](const std::string& launch) {
    return linted(kernel + "void run(int n, int* p) { " + launch + "; }\n", {"cuda/barrier-divergent"})
        .findings.size();
  };
  EXPECT_EQ(count("p = nullptr"), 1u);
  EXPECT_EQ(count("NOWHERE(n); p = nullptr"), 1u);
  EXPECT_EQ(count("k<int><<<1, NOWHERE(n)>>>(n, p)"), 0u);
  EXPECT_EQ(count("k<NOWHERE><<<1, n>>>(n, p)"), 0u);
  EXPECT_EQ(count("k<NOWHERE><<<n, 256>>>(n, p)"), 1u);
  EXPECT_EQ(count("k<int><<<n, 256>>>(n, NOWHERE(p))"), 1u);
}

TEST(LintFile, ACheckOfAHeaderThatIsNotThereIsOneAllTheSame) {
  const std::string before = "#include <cuda_runtime.h>\nvoid run(void* p) {\n  cudaDeviceSynchronize();\n";
  const std::string behind = "}\nint other() { return cudaDeviceReset() == cudaSuccess; }\n";
  const std::vector<std::string> rules = {"cuda/unchecked-call"};
  EXPECT_EQ(linted(before + behind, rules).findings.size(), 1u);
  EXPECT_EQ(linted(before + "  other_thing(p);\n" + behind, rules).findings.size(), 1u);
  EXPECT_TRUE(linted(before + "  cudaCheckError();\n" + behind, rules).findings.empty());
}

// In a template such a variable starts as a list in parentheses, which has no type.
TEST(LintFile, SizesInParenthesesInATemplateMayHaveNoType) {
  auto r = linted(R"(
__global__ void k(float* x) { x[threadIdx.x] = 1; }
template <class Params> void start(Params p, float* x) {
  int first(p.size * 2), second(p.size);
  int blocks = first + second;
  k<<<blocks, int(first)>>>(x);
  k<<<dim3(first), 4096>>>(x);
}
)",
                  {kTooLarge});
  EXPECT_EQ(r.findings.size(), 1u);
}

TEST(LintFile, HostileTextEndsInAResult) {
  std::string nested =
      "void f() { int x = " + std::string(5000, '(') + "1" + std::string(5000, ')') + "; }\n";
  std::string braces = "void f() " + std::string(20000, '{') + "\n";
  for (auto& text :
       {nested, braces, std::string("\xff\xfe\x01 #include <<<"), std::string("#include \"test.cu\"\n"),
        std::string("template <int N> struct A { A<N + 1> a; }; A<0> x;\n")})
    EXPECT_NO_THROW(linted(text, {kTooLarge}));
}

}  // namespace
}  // namespace kadvise::source
