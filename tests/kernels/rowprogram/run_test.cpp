// Which schedule a call gets and when something is compiled, timed or left to the interpreter.
#include "kernels/rowprogram/run.h"
#include "kernels/rowprogram/inspection.h"
#include "kernels/rowprogram/make_plan.h"
#include "kernels/rowprogram/source_call.h"
#include "tests/kernels/rowprogram/made_up_gpu.h"

#include <gtest/gtest.h>

#include <c10/util/Exception.h>

#include <cstdlib>
#include <set>

namespace kadvise::rowprogram {
namespace {

struct Warnings : c10::WarningHandler {
  std::vector<std::string> said;
  void process(const c10::Warning& warning) override { said.push_back(warning.msg()); }
};

struct Run : testing::Test {
  void SetUp() override { gpu.reset(); }
  static std::string fresh() { return freshProgram(); }
  static bool call(const std::string& text, std::int64_t rows) { return callProgram(text, rows); }
};

constexpr std::int64_t kLarge = 4096, kSmall = 8;  // rows of 4 KiB

TEST_F(Run, the_first_call_times_candidates_and_later_ones_only_start_the_fastest) {
  const std::string text = fresh();
  gpu.microseconds = [](int i) { return i == 1 ? 5.0f : 10.0f; };
  ASSERT_TRUE(call(text, kLarge));
  EXPECT_EQ(gpu.timings, 1);
  const std::size_t candidates = gpu.compiled.size();
  EXPECT_GE(candidates, 2u);
  EXPECT_LE(candidates, static_cast<std::size_t>(kMostCandidates));
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

TEST_F(Run, ahead_what_needs_no_compiler_is_started_at_once) {
  gpu.hasAll = true;
  const CompileAhead all;
  EXPECT_TRUE(call(fresh(), kLarge));
  EXPECT_EQ(gpu.runs, 1);
}

// One whose output may be written over its input.
std::string freshOver() {
  const std::string text = freshProgram(), out = "out y float32";
  return std::string(text).insert(text.find(out) + out.size(), " over x");
}

TEST_F(Run, an_output_over_an_input_that_nobody_else_holds_is_that_input) {
  const std::string text = freshOver();
  const auto isOver = [&](at::Tensor x) {
    std::vector<at::Tensor> inputs;
    inputs.push_back(std::move(x));
    return resultsOf(text, inputs).at(0).is_alias_of(inputs[0]);
  };
  EXPECT_FALSE(isOver(at::empty({kLarge, 1024}))) << "is timed";
  EXPECT_TRUE(isOver(at::empty({kLarge, 1024})));
  EXPECT_EQ(gpu.timings, 1);
  const at::Tensor held = at::empty({kLarge, 1024});
  EXPECT_FALSE(isOver(held));
  EXPECT_FALSE(isOver(held.view({-1, 2048}).view({kLarge, 1024}))) << "a view of what is held";
  EXPECT_FALSE(isOver(at::empty({kLarge, 1024}).requires_grad_())) << "the result is to have no gradient";
  EXPECT_FALSE(isOver(at::empty({kLarge, 2048}).narrow(1, 0, 1024))) << "has gaps";
}

TEST_F(Run, an_input_that_is_given_twice_is_not_written_over) {
  const std::string text =
      "row_program 1\nrank 1\nx = in float32\nz = in float32\ny = sub x z\nout y float32 over x";
  std::vector<at::Tensor> inputs(2);
  for (at::Tensor& one : inputs) one = at::empty({4096});
  resultsOf(text, inputs);
  EXPECT_TRUE(resultsOf(text, inputs).at(0).is_same(inputs[0]));
  inputs[1] = inputs[0];
  EXPECT_FALSE(resultsOf(text, inputs).at(0).is_alias_of(inputs[0]));
}

TEST_F(Run, what_a_form_reads_again_is_not_written_over) {
  askedSchedule() = "split";
  const std::string text = freshOver();
  for (int i = 0; i < 2; ++i) {
    std::vector<at::Tensor> inputs(1);
    inputs[0] = at::empty({2, 1 << 20});
    const auto results = resultsOf(text, inputs);
    EXPECT_FALSE(results.at(0).is_alias_of(inputs[0]));
    EXPECT_EQ(lastSchedule().substr(0, 5), "split");
  }
  askedSchedule() = "";
}

TEST_F(Run, a_source_without_kernels_is_an_error) {
  const LoadedText* text = nullptr;
  EXPECT_EQ(load(Source{}, 0, text), "the generator made no kernel");
  Source named;
  named.text = "// nothing to start";
  EXPECT_EQ(load(named, 0, text), "the generator made no kernel");
  EXPECT_EQ(text, nullptr);
  EXPECT_TRUE(gpu.compiled.empty());
}

}  // namespace
}  // namespace kadvise::rowprogram

// What is kept in files would be another run's.
int main(int argc, char** argv) {
  setenv("KADVISE_CACHE_DIR", "", 1);
  unsetenv("KADVISE_TUNE");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
