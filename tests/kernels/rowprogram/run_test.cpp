// Which schedule a call gets and when something is compiled, timed or left to the interpreter, with a GPU
// that is made up: its functions note what they are asked, and take the times that a case gives them.
#include "kernels/rowprogram/run.h"
#include "kernels/common/cuda_library.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/inspection.h"
#include "kernels/rowprogram/make_plan.h"
#include "kernels/runtime_compile/launch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>

namespace kadvise {

struct LoadedText {
  std::string text;
};

namespace {

struct MadeUpGpu {
  std::mutex mutex;
  std::vector<std::string> compiled;  // texts, in the order of their first wish
  int timings = 0, runs = 0;
  bool isCaptured = false;
  std::string loadProblem, runProblem;
  std::function<float(int)> microseconds = [](int) { return 10.0f; };  // of the n-th candidate
} gpu;

const char* facts(int, DeviceFacts* answer) {
  std::strcpy(answer->name, "made up");
  answer->arch = 90;
  answer->sms = 132;
  answer->sharedBytesPerBlock = 232448;
  return nullptr;
}

const char* loadText(const RuntimeText* text, int, const LoadedText** loaded) {
  static auto* const all = new std::map<std::string, LoadedText>;
  const std::scoped_lock lock(gpu.mutex);
  if (!gpu.loadProblem.empty()) return gpu.loadProblem.c_str();
  gpu.compiled.push_back(text->text);
  *loaded = &all->try_emplace(text->text, LoadedText{text->text}).first->second;
  return nullptr;
}

const char* runText(const RuntimeCall*, void*) {
  ++gpu.runs;
  return gpu.runProblem.empty() ? nullptr : gpu.runProblem.c_str();
}

const char* timeTexts(TimedCall* calls, int count, double milliseconds, void*) {
  ++gpu.timings;
  EXPECT_LE(milliseconds, 20);
  EXPECT_LE(count, static_cast<int>(rowprogram::kMostCandidates));
  for (int i = 0; i < count; ++i) calls[i].microseconds = gpu.microseconds(i);
  return nullptr;
}

int isCaptured(void*) { return gpu.isCaptured ? 1 : 0; }

}  // namespace

// In place of the library that is loaded where there is a GPU.
void* cudaSymbol(const char* name) {
  const std::pair<const char*, void*> functions[] = {
      {"kadvise_cuda_device_facts", reinterpret_cast<void*>(&facts)},
      {"kadvise_cuda_load_text", reinterpret_cast<void*>(&loadText)},
      {"kadvise_cuda_run_text", reinterpret_cast<void*>(&runText)},
      {"kadvise_cuda_time_texts", reinterpret_cast<void*>(&timeTexts)},
      {"kadvise_cuda_is_captured", reinterpret_cast<void*>(&isCaptured)}};
  for (const auto& [known, function] : functions) {
    if (std::strcmp(known, name) == 0) return function;
  }
  TORCH_CHECK(false, "no ", name);
}
void* currentStream(c10::Device) { return nullptr; }

namespace rowprogram {
namespace {

struct Warnings : c10::WarningHandler {
  std::vector<std::string> said;
  void process(const c10::Warning& warning) override { said.push_back(warning.msg()); }
};

struct Run : testing::Test {
  void SetUp() override {
    gpu.compiled.clear();
    gpu.timings = gpu.runs = 0;
    gpu.isCaptured = false;
    gpu.loadProblem = gpu.runProblem = {};
    gpu.microseconds = [](int) { return 10.0f; };
  }

  // A program whose kernels no other case has: names are in no kernel, numbers are.
  static std::string fresh() {
    static int count = 0;
    return "row_program 1\nrank 2\nreduce 1\nx = in float32\nm = mean x\nk = add m " +
           std::to_string(++count) + ".5\ny = sub x k\nout y float32\n";
  }

  // Whether a kernel served it.
  static bool call(const std::string& text, std::int64_t rows, std::int64_t columns = 1024) {
    const auto program = parsed(text);
    const std::vector<at::Tensor> inputs = {at::empty({rows, columns})};
    const auto outputs = emptyOutputs(*program, inputs);
    const auto problem = problemOf(*program, inputs, outputs);
    EXPECT_TRUE(problem);
    return problem && runOnCuda(*program, *problem, inputs, outputs, at::kCPU);
  }
};

constexpr std::int64_t kLarge = 4096, kSmall = 8;  // rows of 4 KiB

TEST_F(Run, the_first_call_times_candidates_and_later_ones_only_start_the_fastest) {
  const std::string text = fresh();
  gpu.microseconds = [](int i) { return i == 1 ? 5.0f : 10.0f; };
  ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
  const std::size_t candidates = gpu.compiled.size();
  EXPECT_GE(candidates, 2u);
  EXPECT_LE(candidates, rowprogram::kMostCandidates);
  EXPECT_EQ(std::set<std::string>(gpu.compiled.begin(), gpu.compiled.end()).size(), candidates);
  const std::string chosen = lastSchedule();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
  EXPECT_EQ(gpu.runs, 6);
  EXPECT_EQ(gpu.compiled.size(), candidates);
  EXPECT_EQ(lastSchedule(), chosen);

  // Another program, where all are alike or nearly so: the one that the model likes best.
  gpu.microseconds = [](int i) { return i == 1 ? 9.9f : 10.0f; };
  ASSERT_TRUE(call(fresh(), kLarge));
  EXPECT_NE(lastSchedule(), chosen);
}

TEST_F(Run, sizes_of_one_class_are_timed_once) {
  const std::string text = fresh();
  ASSERT_TRUE(call(text, 4096));
  ASSERT_TRUE(call(text, 4090));
  ASSERT_TRUE(call(text, 4000));
  EXPECT_EQ(gpu.timings, 1);
  ASSERT_TRUE(call(text, 2 * 4096));
  EXPECT_EQ(gpu.timings, 2);
}

TEST_F(Run, what_moves_little_is_not_timed) {
  ASSERT_TRUE(call(fresh(), kSmall));
  EXPECT_EQ(gpu.timings, 0);
  EXPECT_EQ(gpu.compiled.size(), 1u);
}

TEST_F(Run, while_a_graph_is_captured_nothing_is_timed_and_the_next_call_makes_up_for_it) {
  const std::string text = fresh();
  gpu.isCaptured = true;
  ASSERT_TRUE(call(text, kLarge));
  ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 0);
  EXPECT_EQ(gpu.compiled.size(), 1u);
  gpu.isCaptured = false;
  ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
  gpu.isCaptured = true;
  ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
}

TEST_F(Run, candidates_that_cannot_be_started_are_not_chosen) {
  gpu.microseconds = [](int i) { return i == 0 ? -1.0f : 10.0f; };
  const std::string text = fresh();
  ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
  EXPECT_NE(lastSchedule(), "");
}

TEST_F(Run, a_kernel_that_cannot_be_compiled_is_a_warning_and_the_interpreters_work) {
  Warnings warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&warnings);
  gpu.loadProblem = "made-up compiler error";
  const std::string text = fresh();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(call(text, kLarge));
  EXPECT_FALSE(call(fresh(), kLarge));
  EXPECT_EQ(lastSchedule(), "");
  EXPECT_EQ(gpu.runs, 0);
  ASSERT_EQ(warnings.said.size(), 1u);
  EXPECT_NE(warnings.said[0].find("made-up compiler error"), std::string::npos);
}

TEST_F(Run, a_kernel_that_cannot_be_started_is_given_up) {
  Warnings warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&warnings);
  gpu.runProblem = "made-up launch failure";
  const std::string text = fresh();
  EXPECT_FALSE(call(text, kSmall));
  gpu.runProblem = {};
  EXPECT_FALSE(call(text, kSmall));
  EXPECT_EQ(gpu.runs, 1);
  ASSERT_EQ(warnings.said.size(), 1u);
  EXPECT_NE(warnings.said[0].find("made-up launch failure"), std::string::npos);
}

TEST_F(Run, ahead_all_programs_are_compiled_and_none_is_started) {
  const std::string texts[] = {fresh(), fresh(), fresh()};
  std::size_t ahead = 0;
  {
    const CompileAhead all;
    for (const std::string& text : texts) EXPECT_FALSE(call(text, kLarge));
    EXPECT_EQ(gpu.runs + gpu.timings, 0);
  }
  ahead = std::set<std::string>(gpu.compiled.begin(), gpu.compiled.end()).size();
  EXPECT_GE(ahead, 6u);
  for (const std::string& text : texts) EXPECT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 3);
  EXPECT_EQ(std::set<std::string>(gpu.compiled.begin(), gpu.compiled.end()).size(), ahead) << "nothing new";
}

TEST_F(Run, a_schedule_that_was_asked_for_serves_or_nothing) {
  const std::string text = fresh();
  askedSchedule() = "block";
  EXPECT_TRUE(call(text, kLarge));
  EXPECT_EQ(lastSchedule().substr(0, 6), "block/");
  askedSchedule() = "none";
  EXPECT_FALSE(call(text, kLarge));
  EXPECT_EQ(lastSchedule(), "");
  askedSchedule() = "";
  EXPECT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
}

}  // namespace
}  // namespace rowprogram
}  // namespace kadvise

// What is kept in files would be another run's.
int main(int argc, char** argv) {
  setenv("KADVISE_CACHE_DIR", "", 1);
  unsetenv("KADVISE_TUNE");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
