// Calls from many threads at once, first ones among them. Under the thread sanitizer it proves most
// (rowprogram_threads.sh), but what it asserts holds without.
#include "kernels/rowprogram/inspection.h"
#include "kernels/rowprogram/run.h"
#include "tests/kernels/rowprogram/made_up_gpu.h"

#include <gtest/gtest.h>

#include <c10/core/InferenceMode.h>

#include <latch>
#include <thread>

namespace kadvise::rowprogram {
namespace {

constexpr int kThreads = 8, kCalls = 40;
constexpr std::int64_t kRows = 4096;

// Each thread begins with another of the texts.
template <class Each>
void inThreads(const std::vector<std::string>& texts, const Each& each) {
  std::latch together(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const c10::InferenceMode guard;
      together.arrive_and_wait();
      for (int i = 0; i < kCalls; ++i) each(texts[static_cast<std::size_t>(t + i) % texts.size()]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct RunThreads : testing::Test {
  void SetUp() override {
    gpu.reset();
    gpu.compilerMilliseconds = 2;  // so that first calls meet
    for (int i = 0; i < 4; ++i) texts.push_back(freshProgram());
  }
  std::vector<std::string> texts;
};

TEST_F(RunThreads, first_calls_of_new_programs_are_all_served_and_each_program_is_timed_once) {
  std::atomic<int> unserved{0};
  inThreads(texts, [&](const std::string& text) {
    unserved += callProgram(text, kRows) && !lastSchedule().empty() ? 0 : 1;
  });
  EXPECT_EQ(unserved, 0);
  EXPECT_EQ(gpu.runs, kThreads * kCalls);
  EXPECT_EQ(gpu.strangeRuns, 0);
  EXPECT_EQ(gpu.timings, static_cast<int>(texts.size()));
}

TEST_F(RunThreads, some_compile_ahead_while_others_call) {
  std::atomic<int> calls{0};
  inThreads(texts, [&](const std::string& text) {
    if (++calls % 5 != 0) {
      callProgram(text, kRows);
      return;
    }
    const CompileAhead ahead;
    callProgram(freshProgram(), kRows);
  });
  EXPECT_EQ(gpu.strangeRuns, 0);
  EXPECT_GE(gpu.runs, kThreads * kCalls * 4 / 5);
}

TEST_F(RunThreads, a_schedule_that_one_thread_asks_for_is_not_anothers) {
  std::atomic<int> wrong{0};
  inThreads(texts, [&](const std::string& text) {
    const std::string asked =
        std::hash<std::thread::id>()(std::this_thread::get_id()) % 2 ? "block" : "lanes";
    askedSchedule() = asked;
    wrong += callProgram(text, kRows) && lastSchedule().starts_with(asked + "/") ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace kadvise::rowprogram
