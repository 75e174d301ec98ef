#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

SourceRecord recordFor(const std::string& text, const std::string& file = "test.cu") {
  auto r = linted(text, {}, file);
  EXPECT_TRUE(r.parsed.errors.empty()) << r.parsed.errors[0].message;
  return r.record;
}

const char* const kKernel = "__global__ void k(float* x, int n) { x[threadIdx.x] = n; }\n";

LaunchRecord onlyLaunch(const std::string& text) {
  auto record = recordFor(kKernel + text);
  EXPECT_EQ(record.launches.size(), 1u);
  return record.launches.empty() ? LaunchRecord{} : record.launches[0];
}

TEST(FileRecord, NamesTheKernelAndItsConfiguration) {
  auto l = onlyLaunch("void run(float* x, int n) { k<<<(n + 255) / 256, dim3(32, 8), 1024>>>(x, n); }\n");
  EXPECT_EQ(l.kernel.name, "k");
  EXPECT_EQ(l.kernel.parameters, 2);
  EXPECT_EQ(l.block, (Extent{32, 8, 1}));
  EXPECT_EQ(l.grid[0], std::nullopt);
  EXPECT_TRUE(l.isRoundedUp[0]);
  EXPECT_EQ(l.sharedBytes, 1024);
  EXPECT_EQ(l.stream, "default");
  EXPECT_EQ(l.caller, "run");
}

TEST(FileRecord, ArgumentsOfOneMemoryAreSaid) {
  auto record = recordFor(
      "__global__ void k(float* y, const float* x, const float* z, int n);\n"
      "struct S { float *a, *b; };\n"
      "void run(float* p, float* q, S s, int n) {\n"
      "  k<<<1, 32>>>(p, q, p + n, n);\n  k<<<2, 32>>>(s.a, s.b, &s.a[4], n);\n  k<<<3, 32>>>(p, q, s.a, "
      "n);\n}\n");
  ASSERT_EQ(record.launches.size(), 3u);
  EXPECT_EQ(record.launches[0].overlaps, (std::vector<ArgumentPair>{{0, 2}}));
  EXPECT_EQ(record.launches[1].overlaps, (std::vector<ArgumentPair>{{0, 2}}));
  EXPECT_TRUE(record.launches[2].overlaps.empty());
}

TEST(FileRecord, ConstantsComeThroughVariablesAndMacros) {
  EXPECT_EQ(onlyLaunch("#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, kBlock>>>(__VA_ARGS__)\n"
                       "constexpr int kBlock = 4 * 32;\nvoid run(float* x) { LAUNCH(k, 7, x, 1); }\n")
                .block,
            (Extent{128, 1, 1}));
  EXPECT_EQ(
      onlyLaunch("void run(float* x) { int t = 64; const dim3 b(t, t / 16); k<<<1, b>>>(x, 1); }\n").block,
      (Extent{64, 4, 1}));
  EXPECT_EQ(onlyLaunch("void run(float* x) { int t = 64; t = 128; k<<<1, t>>>(x, 1); }\n").block,
            (Extent{std::nullopt, 1, 1}));
}

TEST(FileRecord, ConstantsComeThroughAWrapper) {
  auto record = recordFor(std::string(kKernel) +
                          "void launch(float* x, dim3 b, int s = 16) { k<<<1, b, s>>>(x, 1); }\n"
                          "void run(float* x) { launch(x, dim3(96)); launch(x, 64, 32); }\n");
  ASSERT_EQ(record.launches.size(), 2u);
  EXPECT_EQ(record.launches[0].block, (Extent{96, 1, 1}));
  EXPECT_EQ(record.launches[0].sharedBytes, 16);
  EXPECT_EQ(record.launches[1].block, (Extent{64, 1, 1}));
  EXPECT_EQ(record.launches[1].sharedBytes, 32);
}

TEST(FileRecord, ConstantsComeThroughTemplateArguments) {
  auto record = recordFor(
      "template <class T, int N> __global__ void k(T* x) { x[threadIdx.x] = N; }\n"
      "template <int N> void launch(float* x) { k<float, N><<<1, N>>>(x); }\nvoid run(float* x) { "
      "launch<192>(x); }\n");
  bool isThere = false;
  for (auto& l : record.launches)
    isThere |= l.block[0] == 192 && l.templateArguments == std::vector<std::string>{"float", "192"};
  EXPECT_TRUE(isThere);
}

TEST(FileRecord, CallsOfTheRuntimeLaunchToo) {
  EXPECT_EQ(onlyLaunch("void run(void** a) { cudaLaunchKernel((void*)k, dim3(3), dim3(160), a, 2048, 0); }\n")
                .block,
            (Extent{160, 1, 1}));
  auto l = onlyLaunch(
      "void run(float* x) {\n  cudaLaunchConfig_t c = {};\n  c.gridDim = dim3(4);\n  c.blockDim = 224;\n"
      "  c.dynamicSmemBytes = 512;\n  cudaLaunchKernelEx(&c, k, x, 1);\n}\n");
  EXPECT_EQ(l.kernel.name, "k");
  EXPECT_EQ(l.grid, (Extent{4, 1, 1}));
  EXPECT_EQ(l.block, (Extent{224, 1, 1}));
  EXPECT_EQ(l.sharedBytes, 512);
}

TEST(FileRecord, WhatTheOccupancyCalculatorSaysIsUnknown) {
  EXPECT_EQ(
      onlyLaunch("void run(float* x) { int grid = 0, block = 32; cudaOccupancyMaxPotentialBlockSize(&grid, "
                 "&block, k); k<<<1, block>>>(x, 1); }\n")
          .block,
      (Extent{std::nullopt, 1, 1}));
}

const FunctionRecord* functionNamed(const SourceRecord& record, const std::string& name) {
  for (auto& f : record.functions)
    if (f.name.name == name) return &f;
  return nullptr;
}

TEST(FileRecord, GuardsAndChecksBeforeACallAreSaid) {
  auto record = recordFor(R"(
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
namespace ops { at::Tensor launch(at::Tensor x, at::Tensor y, int n); }
static at::Tensor checked(at::Tensor x, at::Tensor y) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x");
  const c10::cuda::CUDAGuard guard(x.device());
  auto z = y.contiguous();
  return ops::launch(x, z, 3);
}
at::Tensor late(at::Tensor x) {
  auto out = ops::launch(x, x, 3);
  const c10::cuda::CUDAGuard guard(x.device());
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("checked", &checked); }
)",
                          "op.cpp");
  auto *checked = functionNamed(record, "checked"), *late = functionNamed(record, "late");
  ASSERT_TRUE(checked && late && checked->calls.size() == 1 && late->calls.size() == 1);
  auto& call = checked->calls[0];
  EXPECT_EQ(call.callee.name, "ops::launch");
  EXPECT_TRUE(call.guardsDevice);
  EXPECT_EQ(call.arguments, (std::vector<std::vector<std::string>>{
                                {"contiguous", "cuda", "tensor"}, {"contiguous", "fresh", "tensor"}, {}}));
  EXPECT_TRUE(checked->isEntry);
  EXPECT_TRUE(checked->isInternal);
  EXPECT_FALSE(late->calls[0].guardsDevice);
  EXPECT_FALSE(late->isEntry);
}

TEST(FileRecord, AGuardAroundADispatchCounts) {
  auto record = recordFor(R"(
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
template <class T> void launch(T* x);
void run(at::Tensor x) {
  const at::cuda::OptionalCUDAGuard guard(x.device());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "run", [&] { launch<scalar_t>(x.data_ptr<scalar_t>()); });
}
)",
                          "op.cpp");
  auto* run = functionNamed(record, "run");
  ASSERT_TRUE(run);
  bool isThere = false;
  for (auto& c : run->calls) isThere |= c.callee.name == "launch" && c.guardsDevice;
  EXPECT_TRUE(isThere);
}

LaunchElsewhere launchFrom(const std::string& file, Extent block) {
  LaunchElsewhere out;
  out.file = file;
  out.launch.kernel = {"k", 2, ""};
  out.launch.line = 12;
  out.launch.block = block;
  out.launch.sharedBytes = 0;
  return out;
}

LintResult lintedWithin(const Surroundings& around, const std::string& text, const std::string& rule) {
  LintInput input{"test.cu", text, std::nullopt, {}, around};
  return lintFile(rulesNamed({rule}), stubSettings(), input);
}

TEST(Surroundings, ALaunchElsewhereChangesWhatAKernelIsJudgedBy) {
  const char* text = "__global__ void k(float* x, int n) { if (threadIdx.x < 64) __syncthreads(); }\n";
  Surroundings small, large;
  small.launches = {launchFrom("main.cu", {64, 1, 1})};
  large.launches = {launchFrom("main.cu", {128, 1, 1})};
  EXPECT_TRUE(lintedWithin(small, text, "cuda/barrier-divergent").findings.empty());
  EXPECT_EQ(lintedWithin(large, text, "cuda/barrier-divergent").findings.size(), 1u);
}

TEST(Surroundings, APromiseThatALaunchElsewhereBreaksIsNotProposed) {
  const char* text =
      "__global__ void k(float* y, const float* x) {\n"
      "  for (int j = 0; j < 8; ++j) y[threadIdx.x + j * 32] = x[threadIdx.x + j * 32 + 1];\n}\n";
  Surroundings around;
  around.launches = {launchFrom("main.cu", {32, 1, 1})};
  EXPECT_EQ(lintedWithin(around, text, "cuda/unrestricted-pointer").findings.size(), 1u);
  around.launches[0].launch.overlaps = {{0, 1}};
  EXPECT_TRUE(lintedWithin(around, text, "cuda/unrestricted-pointer").findings.empty());
}

TEST(Surroundings, AnUnguardedIndexIsFoundByALaunchElsewhere) {
  const char* text = "__global__ void k(float* x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = n; }\n";
  Surroundings around;
  around.launches = {launchFrom("main.cu", {128, 1, 1})};
  EXPECT_TRUE(lintedWithin(around, text, "cuda/unguarded-index").findings.empty());
  around.launches[0].launch.isRoundedUp[0] = true;
  auto r = lintedWithin(around, text, "cuda/unguarded-index");
  ASSERT_EQ(r.findings.size(), 1u);
  ASSERT_EQ(r.findings[0].related.size(), 1u);
  EXPECT_EQ(r.findings[0].related[0].file, "main.cu");
  EXPECT_EQ(r.findings[0].related[0].line, 12);
}

TEST(Surroundings, SharedMemoryMayBeRequestedElsewhere) {
  const char* text =
      "__global__ void k(float* x, int n);\nvoid run(float* x) { k<<<1, 256, 65536>>>(x, 1); }\n";
  Surroundings around;
  EXPECT_EQ(lintedWithin(around, text, "cuda/shared-memory-not-requested").findings.size(), 1u);
  around.requested = {{"k", 2, ""}};
  EXPECT_TRUE(lintedWithin(around, text, "cuda/shared-memory-not-requested").findings.empty());
}

}  // namespace
}  // namespace kadvise::source
