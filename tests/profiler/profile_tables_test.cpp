#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analyzer/core/profile_words.h"
#include "profiler/chrome_trace.h"
#include "profiler/cupti_words.h"
#include "profiler/kernel_bound.h"
#include "profiler/tables.h"

namespace kadvise {
namespace {

Location at(const std::string& scope, const std::string& file = "", int line = 0) {
  Location out;
  out.scope = scope, out.file = file, out.line = line;
  return out;
}

TEST(Tables, TheSameTimeStandsInEachOfThem) {
  KernelRow gemm, add;
  gemm.name = "gemm", add.name = "add";
  ProfileView view;
  view.attribution.emplace();
  Place fc1{"aten::linear", at("fc1", "model.py", 7), true},
      fc2{"aten::linear", at("fc2", "model.py", 7), true};
  Place own{"aten::add", at("", "model.py", 9), true};
  addTables(view, {{30, &fc1, &gemm}, {50, &fc2, &gemm}, {15, &own, &add}, {5, nullptr, &add}});
  ASSERT_EQ(view.kernels.size(), 2u);
  EXPECT_EQ(view.kernels[0].name, "gemm");
  EXPECT_DOUBLE_EQ(view.kernels[0].share, 0.8);
  EXPECT_EQ(view.kernels[0].launches, 2);
  EXPECT_EQ(view.kernels[0].where.scope, "fc2") << "where it takes longest";
  ASSERT_EQ(view.modules.size(), 4u);
  EXPECT_EQ(view.modules[0].name, "fc2");
  EXPECT_EQ(view.modules[2].name, "") << "the module itself is a known path";
  EXPECT_EQ(view.modules[3].name, kUnknownPlace);
  EXPECT_EQ(view.operators[0].name, "aten::linear");
  EXPECT_DOUBLE_EQ(view.lines[0].us, 80);
  EXPECT_EQ(view.lines[0].name, "model.py:7");
  EXPECT_DOUBLE_EQ(view.attribution->toOperator, 0.95);
  EXPECT_DOUBLE_EQ(view.attribution->toModule, 0.95);
  EXPECT_DOUBLE_EQ(view.attribution->toLine, 0.95);
}

TEST(Tables, OneKernelAtTwoSizesIsTwoRows) {
  KernelRow small, large;
  small.name = large.name = "add";
  small.grid = {1, 1, 1}, large.grid = {8, 1, 1};
  ProfileView view;
  Place place{"a", at(""), true};
  addTables(view, {{1, &place, &small}, {2, &place, &large}, {3, &place, &small}});
  ASSERT_EQ(view.kernels.size(), 2u);
  EXPECT_EQ(view.kernels[0].grid[0], 1);
  EXPECT_DOUBLE_EQ(view.kernels[0].longestUs, 3);
}

TEST(Tables, WithoutTimeThereAreNoShares) {
  ProfileView view;
  view.attribution.emplace();
  addTables(view, {});
  EXPECT_TRUE(view.kernels.empty());
  EXPECT_EQ(view.attribution->toOperator, 0);
}

TEST(ChromeTrace, IsJsonWithNamedTracksAndArrowsThatHaveTwoEnds) {
  TraceTrack host{"host",
                  "operators",
                  {{"aten::add \"x\"\n", "operator", 1, 10, 1}, {"aten::view", "operator", 12, 1, 2}}};
  TraceTrack stream{"GPU", "stream 7", {{std::string("k\xff"), "kernel", 5, 2, 1, {{"grid", {1, 2, 3}}}}}};
  Json trace = Json::parse(chromeTrace({host, stream}));
  auto& events = trace.at("traceEvents");
  std::map<std::string, int> phases;
  for (auto& e : events) ++phases[e.at("ph").get<std::string>()];
  EXPECT_EQ(phases["X"], 3);
  EXPECT_EQ(phases["M"], 4);
  EXPECT_EQ(phases["s"], 1) << "the view launched nothing";
  EXPECT_EQ(phases["f"], 1);
  for (auto& e : events)
    if (e.at("ph") == "X") {
      EXPECT_TRUE(e.at("ts").is_number());
      EXPECT_GE(e.at("dur").get<double>(), 0);
    }
}

TEST(ChromeTrace, OfNothingIsEmpty) { EXPECT_TRUE(Json::parse(chromeTrace({})).at("traceEvents").empty()); }

TEST(CuptiRefusal, KnowsTheUsualReasonsAndTheirRemedies) {
  EXPECT_NE(cuptiRefusal("hardware counters", 35, "INSUFFICIENT_PRIVILEGES")
                .remedy.find("NVreg_RestrictProfilingToAdminUsers=0"),
            std::string::npos);
  EXPECT_NE(
      cuptiRefusal("kernel records", 39, "MULTIPLE_SUBSCRIBERS").reason.find("another profiler is attached"),
      std::string::npos);
  EXPECT_NE(cuptiRefusal("kernel records", 14, "NOT_COMPATIBLE").remedy.find("driver for CUDA 13"),
            std::string::npos);
  auto strange = cuptiRefusal("kernel records", 12345, "odd");
  EXPECT_NE(strange.reason.find("12345"), std::string::npos);
  EXPECT_FALSE(strange.remedy.empty());
  EXPECT_FALSE(bool(CuptiRefusal{}));
}

CounterValues counters(double dramPercent, double tensorPercent) {
  return {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", dramPercent},
          {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", tensorPercent},
          {"dram__bytes_read.sum", 3e6},
          {"dram__bytes_write.sum", 1e6},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 50}};
}

CountedKernel judged(const CounterValues& values, const KernelSetting& setting) {
  CountedKernel k;
  judgeKernel(k, values, setting);
  return k;
}

TEST(Roofline, TheNumberThatDecidesIsSaid) {
  auto memory = judged(counters(88, 5), {2, 0, 1000, 132});
  EXPECT_EQ(memory.bound, "memory");
  EXPECT_NE(memory.why.find("88%"), std::string::npos);
  EXPECT_DOUBLE_EQ(memory.dramBytesPerSecond, 2e12);
  EXPECT_DOUBLE_EQ(memory.occupancy, 0.5);
  EXPECT_EQ(judged(counters(20, 94), {2, 0, 1000, 132}).bound, "compute");
  auto few = judged(counters(3, 2), {20, 0, 16, 132});
  EXPECT_EQ(few.bound, "latency");
  EXPECT_NE(few.why.find("116 of 132"), std::string::npos);
  auto launch = judged(counters(88, 5), {2, 9, 1000, 132});
  EXPECT_EQ(launch.bound, "launch");
  EXPECT_NE(launch.why.find("9.0 us"), std::string::npos);
}

TEST(Roofline, FusedMultiplyAddsCountTwiceBesideAdditionsAndProducts) {
  auto values = counters(10, 10);
  values["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"] = 1e6;
  values["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 2e6;
  auto k = judged(values, {1, 0, 1000, 132});
  EXPECT_DOUBLE_EQ(k.fp32Flop, 5e6);
  EXPECT_DOUBLE_EQ(k.flopPerSecond, 5e12);
}

TEST(Roofline, WhatWasNotCountedIsNoNumber) {
  auto k = judged({{"dram__bytes_read.sum", std::nan("")}}, {1, 0, 0, 0});
  EXPECT_EQ(k.dramReadBytes, 0);
  EXPECT_TRUE(k.metrics.empty());
  EXPECT_EQ(k.bound, "latency");
}

}  // namespace
}  // namespace kadvise
