// What the generator writes is what the compiler takes: every candidate of the usual programs, for the
// architectures that differ, by the real compiler. It needs no GPU.
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/emit.h"
#include "kernels/rowprogram/gpu.h"
#include "kernels/runtime_compile/compile.h"
#include "kernels/runtime_compile/launch.h"
#include "kernels/runtime_compile/nvrtc_library.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;

struct Case {
  const char* name;
  const char* statements;  // T stands for the dtype
  std::vector<std::vector<std::int64_t>> inputs;
};

constexpr std::int64_t kRows = -1, kColumns = -2;  // in sizes of inputs

const Case kCases[] = {
    {"layer norm",
     "rank 2\nreduce 1\nx = in T\nw = in T\nb = in T\nm = mean x\nv = var x\ne = add v 1e-05\nk = rsqrt e\nd "
     "= sub x m\n"
     "n = mul d k\np = mul n w\ny = add p b\nout y T\n",
     {{kRows, kColumns}, {kColumns}, {kColumns}}},
    {"softmax with scale and mask",
     "rank 2\nreduce 1\nx = in T\nk = in T\nt = mul x 0.125\nu = add t k\nm = max u\nd = sub u m\ne = exp "
     "d\nz = sum e\n"
     "y = div e z\nout y T\n",
     {{kRows, kColumns}, {kRows, kColumns}}},
    {"bias and gelu",
     "rank 2\nx = in T\nb = in T\ns = add x b\ny = gelu s\nout y T\n",
     {{kRows, kColumns}, {kColumns}}},
    {"mean over the rows", "rank 2\nreduce 0\nx = in T\nm = mean x\nout m T drop\n", {{kRows, kColumns}}},
};

// Wide rows, narrow ones, ragged ones, few long ones.
const std::pair<std::int64_t, std::int64_t> kSizes[] = {
    {8192, 1024}, {131072, 128}, {1000, 1023}, {64, 131072}};

struct Wanted {
  std::string name, text;
  int arch;
};

Tensor metaOf(const std::vector<std::int64_t>& sizes, std::pair<std::int64_t, std::int64_t> size,
              at::ScalarType dtype) {
  std::vector<std::int64_t> actual;
  for (const std::int64_t s : sizes) actual.push_back(s == kRows ? size.first : size.second);
  return at::empty(actual, at::TensorOptions(at::kMeta).dtype(dtype));
}

Gpu gpuOfArch(int arch) {
  DeviceFacts facts{};
  facts.arch = arch;
  return gpuOf(facts).gpu;
}

void addCandidates(const Case& one, std::pair<std::int64_t, std::int64_t> size, at::ScalarType dtype,
                   int arch, std::map<std::string, Wanted>& wanted) {
  std::string text = std::string("row_program 1\n") + one.statements;
  const std::string word = dtype == at::kFloat ? "float32" : "bfloat16";
  for (auto at = text.find('T'); at != std::string::npos; at = text.find('T', at)) text.replace(at, 1, word);
  const auto program = parsed(text);
  std::vector<Tensor> inputs;
  for (const auto& sizes : one.inputs) inputs.push_back(metaOf(sizes, size, dtype));
  const auto outputs = emptyOutputs(*program, inputs);
  const auto problem = problemOf(*program, inputs, outputs);
  ASSERT_TRUE(problem) << one.name;
  const Gpu gpu = gpuOfArch(arch);
  const auto schedules = schedulesFor(*problem, gpu);
  ASSERT_FALSE(schedules.empty()) << one.name;
  for (const Schedule& schedule : schedules) {
    const std::string generated = emit(*problem, schedule, gpu).text;
    const std::string name = std::string(one.name) + " " + word + " " + std::to_string(size.first) + "x" +
                             std::to_string(size.second) + " " + toText(schedule) + " sm_" +
                             std::to_string(arch);
    wanted.try_emplace(std::to_string(arch) + generated, Wanted{name, generated, arch});
  }
}

TEST(CompiledRowPrograms, every_candidate_is_code_that_the_compiler_takes) {
  std::string problem;
  if (nvrtc(problem) == nullptr) GTEST_SKIP() << "SKIPPED: " << problem << "; nothing was tested";
  std::map<std::string, Wanted> wanted;
  for (const Case& one : kCases) {
    for (const auto size : kSizes) addCandidates(one, size, at::kBFloat16, 90, wanted);
    addCandidates(one, kSizes[0], at::kFloat, 90, wanted);
    addCandidates(one, kSizes[0], at::kBFloat16, 80, wanted);
  }
  std::vector<const Wanted*> list;
  for (const auto& [key, one] : wanted) list.push_back(&one);
  std::vector<std::string> problems(list.size());
  std::atomic<std::size_t> next{0};
  const auto begin = std::chrono::steady_clock::now();
  const auto work = [&] {
    for (std::size_t i; (i = next++) < list.size();)
      problems[i] = compileFor(list[i]->text, list[i]->arch).problem;
  };
  std::thread other(work);
  work();
  other.join();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::printf("%zu texts, %.0f ms each on two threads\n", list.size(),
              took.count() * 2 / static_cast<double>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(problems[i], "") << list[i]->name;
}

}  // namespace
}  // namespace kadvise::rowprogram

int main(int argc, char** argv) {
  setenv("KADVISE_CACHE_DIR", "", 1);  // the compiler itself, not what it said before
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
