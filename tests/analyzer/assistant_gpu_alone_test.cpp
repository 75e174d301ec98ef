// Where CUDA graphs are to be expected, the assistant judges candidates by the GPU alone, and by the wall
// again where they do not come of it.
#include <gtest/gtest.h>

#include "analyzer/judged_on_gpu.h"
#include "reports/ranking.h"
#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

// C1 is slower on the wall and faster on the GPU, C2 the other way about.
Json opposites(double shareInGraphs, Json verdicts = Json::object()) {
  Json capability = {
      {"kind", "cuda-graph"}, {"regions", Json::array()}, {"cuts", Json::array()}, {"share", shareInGraphs}};
  Json readiness = {{"basis", "operators"}, {"judgedBy", Json::array()}, {"capabilities", {capability}}};
  verdicts["C1"] = {{"outcome", "slower"}, {"speedup", {{"low", 0.7}, {"mid", 0.72}, {"high", 0.74}}}};
  Json scenario = twoCandidates();
  scenario["opened"] = {{"device", {{"kind", "cuda"}, {"index", 0}, {"name", "NVIDIA H200"}, {"arch", 90}}}};
  scenario["matched"] = {{"readiness", readiness}};
  scenario["gpuAlone"] = {{"C1", 1.3}, {"C2", 0.8}};
  return with(scenario, "verdicts", verdicts);
}

TEST(JudgedOnGpu, ByBothCachesAndTheReasonSaysSo) {
  Verdict v;
  v.outcome = Outcome::Slower;
  v.speedup = {0.7, 0.7, 0.7};
  v.reason = "0.70x";
  v.before.counters = {{"coldSpeedup", 1.1}, {"hotSpeedup", 1.4}};
  Verdict judged = judgedOnGpu(v);
  EXPECT_EQ(judged.outcome, Outcome::Faster);
  EXPECT_DOUBLE_EQ(judged.speedup.low, 1.1);
  EXPECT_DOUBLE_EQ(judged.speedup.high, 1.4);
  EXPECT_TRUE(isJudgedOnGpu(judged));
  EXPECT_EQ(judged.reason.rfind("0.70x; judged by the GPU alone", 0), 0u);

  v.before.counters = {{"coldSpeedup", 0.9}, {"hotSpeedup", 1.4}};
  EXPECT_EQ(judgedOnGpu(v).outcome, Outcome::Ambiguous) << "a loss with cold caches is one";
  v.before.counters = {{"coldSpeedup", 0.99}, {"hotSpeedup", 1.01}};
  EXPECT_EQ(judgedOnGpu(v).outcome, Outcome::Same);
  v.before.counters.clear();
  EXPECT_FALSE(isJudgedOnGpu(judgedOnGpu(v))) << "nothing is known of the GPU alone";
}

TEST(JudgedOnGpu, WhatIsWrongOrImplausibleStaysSo) {
  Verdict v;
  v.before.counters = {{"coldSpeedup", 2}, {"hotSpeedup", 2}};
  v.outcome = Outcome::WrongOutput;
  EXPECT_EQ(judgedOnGpu(v).outcome, Outcome::WrongOutput);
  v.outcome = Outcome::Ambiguous;
  v.after.counters["implausible"] = 1;
  EXPECT_EQ(judgedOnGpu(v).outcome, Outcome::Ambiguous);
}

TEST(GpuAlone, DecidesWhereTheModuleWillRunInGraphs) {
  Setting s(opposites(1));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), Ids{"C1"});
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Faster);
  EXPECT_TRUE(r.search.empty()) << "sets are tried without graphs";
  EXPECT_TRUE(r.output->written);
}

TEST(GpuAlone, ASetThatIsSlowerWithoutGraphsIsTriedInThem) {
  Setting s(opposites(1, {{"whole of C1", {{"outcome", "slower"}}}}));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), Ids{"C1"});
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
}

TEST(GpuAlone, TheWallDecidesWhereMuchOfForwardCannotBeCaptured) {
  Setting s(opposites(0.5));
  Report r = s.optimize();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Slower);
  EXPECT_FALSE(isJudgedOnGpu(*verdictOf(r, "C2")));
}

TEST(GpuAlone, TheWallDecidesAfterAllWhereGraphsDoNotPay) {
  Setting s(opposites(1, {{kCudaGraphVerdict, {{"outcome", "same"}}}}));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), Ids{"C2"});
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::NotWorthIt);
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Slower);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.output->written);
}

}  // namespace
}  // namespace kadvise
