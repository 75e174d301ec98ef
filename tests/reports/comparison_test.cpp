// What the newer of two runs is said to have lost and gained.
#include "reports/compare_runs.h"
#include "reports/ranking.h"
#include "reports/run_timing.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

std::vector<double> around(double us) {
  std::vector<double> out;
  for (int i = 0; i < 40; ++i) out.push_back(us * (1 + 0.0005 * (i % 5 - 2)));
  return out;
}

Report run() {
  Report r = sampleReport();
  r.findings.push_back(sampleFinding("F5", "fusion/add-layer-norm", 50));
  r.findings.push_back(sampleFinding("F6", "fusion/add-layer-norm", 60));
  r.whole.before.timings = {{"warm", around(2060), {}, false}};
  r.whole.after.timings = {{"warm", around(1450), {}, false}};
  for (auto& k : r.whole.after.kernels) k.name = "k", k.durationUs = 1;
  r.whole.after.kernels[0] = {"flash_fwd", "aten::sdpa", "", {}, 0, 40, {}, {}, 0};
  return r;
}

Report compared(const Report& old, const Report& fresh) {
  return comparedRuns(old, "old.json", fresh, "new.json");
}

std::vector<std::string> kinds(const std::vector<RunChange>& changes) {
  std::vector<std::string> out;
  for (auto& c : changes) out.push_back(c.kind);
  return out;
}

using Kinds = std::vector<std::string>;

TEST(Comparison, OfARunWithItselfHasNothing) {
  auto c = *compared(run(), run()).comparison;
  EXPECT_EQ(kinds(c.regressions), Kinds{});
  EXPECT_EQ(kinds(c.gains), Kinds{});
  EXPECT_TRUE(c.found.empty() && c.fixed.empty() && c.differs.empty());
  // Counted as new ones are: places that are alike are one, and F7 is suppressed.
  EXPECT_EQ(c.unchanged, run().findings.size() - 1);
  EXPECT_HAS(c.whole, "no clear difference");
}

TEST(Comparison, ALostFusionAndASlowerKernelComeFirst) {
  Report fresh = run();
  fresh.composition.applied[1].sites = 1;
  fresh.candidates[1].findings = {"F2"};
  fresh.whole.after.kernels[0].durationUs = 60;
  fresh.whole.after.peakBytes = 2 << 20;
  Report old = run();
  old.whole.after.peakBytes = 1 << 20;
  Report r = compared(old, fresh);
  EXPECT_EQ(kinds(r.comparison->regressions), (Kinds{"lost-fusion", "slower-kernel", "more-memory"}));
  auto& lost = r.comparison->regressions[0];
  EXPECT_EQ(lost.finding, "F5");
  EXPECT_HAS(lost.before, "3 sites");
  EXPECT_HAS(lost.after, "1 site");
  EXPECT_NEAR(lost.lostUs, 200, 1);  // two of three sites that saved 100 µs each
  std::string text = rendered(r);
  EXPECT_HAS(text, "3 regressions");
  EXPECT_LT(text.find("lost: title of large"), text.find("slower kernel: flash_fwd"));
  EXPECT_HAS(text, "40 µs in 1 launch → 60 µs in 1 launch");
}

TEST(Comparison, ThatTheModulesDifferIsSaidFirst) {
  Report old = run();
  old.subject.path = "other/else.pt";
  std::string text = rendered(compared(old, run()));
  auto said = text.find("of two files: else.pt");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_LT(said, text.find("no regression"));
  EXPECT_EQ(rendered(compared(run(), run())).find("of two"), std::string::npos);
}

TEST(Comparison, OfTwoModulesNothingIsARegression) {
  Report fresh = run();
  fresh.subject.path = "other/else.pt";
  fresh.subject.parameters += 1'000'000;
  fresh.composition.applied.clear();
  fresh.findings.clear(), fresh.candidates.clear(), fresh.verdicts.clear();
  EXPECT_FALSE(areOfOneModule(run(), fresh));
  Report r = compared(run(), fresh);
  auto& c = *r.comparison;
  EXPECT_TRUE(c.areTwoModules && c.regressions.empty() && c.gains.empty() && c.found.empty() &&
              c.fixed.empty());
  EXPECT_HAS(rendered(r), "two different modules");
  EXPECT_EQ(rendered(r).find("no regression"), std::string::npos);
  fresh.subject.path = run().subject.path;
  EXPECT_TRUE(areOfOneModule(run(), fresh));  // the model itself was changed
}

TEST(Comparison, WhatWasLostIsNotFixed) {
  Report fresh = run();
  auto gone = fresh.composition.applied[1].candidate;
  fresh.composition.applied.erase(fresh.composition.applied.begin() + 1);
  auto candidate =
      std::find_if(fresh.candidates.begin(), fresh.candidates.end(), [&](auto& c) { return c.id == gone; });
  auto ids = candidate->findings;
  fresh.notApplicable.push_back({candidate->rule, "nothing like it was found"});
  fresh.candidates.erase(candidate);
  std::erase_if(fresh.findings,
                [&](auto& f) { return std::find(ids.begin(), ids.end(), f.id) != ids.end(); });
  auto c = *compared(run(), fresh).comparison;
  EXPECT_EQ(c.regressions.at(0).kind, "lost-fusion");
  EXPECT_TRUE(c.fixed.empty()) << c.fixed[0].what;
}

TEST(Comparison, TurnedRoundTheLossIsAGain) {
  Report old = run();
  old.composition.applied[1].sites = 1;
  old.candidates[1].findings = {"F2"};
  auto c = *compared(old, run()).comparison;
  EXPECT_EQ(kinds(c.regressions), Kinds{});
  EXPECT_EQ(kinds(c.gains), Kinds{"new-fusion"});
  EXPECT_LT(c.gains[0].lostUs, 0);
}

TEST(Comparison, APlaceThatAWholeRegionsChangeTookInIsNotLost) {
  Report fresh = run();
  fresh.composition.applied = {{"small", 1}};
  fresh.verdicts[1] = {};
  fresh.verdicts[1].candidate = "large";
  fresh.verdicts[1].reason = std::string(kPartOf) + "another";
  EXPECT_EQ(kinds(compared(run(), fresh).comparison->regressions), Kinds{});
}

TEST(Comparison, TimesOfDifferentCircumstancesAreNotCompared) {
  Report fresh = run();
  fresh.device.name = "NVIDIA H100";
  fresh.whole.after.timings = {{"warm", around(3000), {}, false}};
  fresh.whole.after.kernels[0].durationUs = 90;
  Report r = compared(run(), fresh);
  EXPECT_EQ(kinds(r.comparison->regressions), Kinds{});
  EXPECT_FALSE(r.comparison->areTimesComparable);
  EXPECT_HAS(rendered(r), "device: NVIDIA H200 → NVIDIA H100");
}

TEST(Comparison, ASlowerWholeIsARegressionAndAFasterOneAGain) {
  Report slow = run();
  slow.whole.after.timings = {{"warm", around(1700), {}, false}};
  EXPECT_EQ(kinds(compared(run(), slow).comparison->regressions), Kinds{"slower-whole"});
  EXPECT_EQ(kinds(compared(slow, run()).comparison->gains), Kinds{"faster-whole"});
}

TEST(Comparison, ThreePerCentBetweenRunsSayNothing) {
  Report slow = run();
  slow.whole.after.timings = {{"warm", around(1450 * 1.03), {}, false}};
  EXPECT_EQ(kinds(compared(run(), slow).comparison->regressions), Kinds{});
}

TEST(Comparison, WrongOutputsComeBeforeAllElse) {
  Report fresh = run();
  fresh.whole.outcome = Outcome::WrongOutput;
  fresh.composition.applied = {{"small", 1}};
  auto c = *compared(run(), fresh).comparison;
  ASSERT_FALSE(c.regressions.empty());
  EXPECT_EQ(c.regressions[0].kind, "outputs-differ");
}

TEST(Comparison, FindingsAreNewOrFixedOnlyWhereTheirRuleWasAsked) {
  Report fresh = run();
  std::erase_if(fresh.findings, [](auto& f) { return f.id == "F4" || f.id == "F7"; });
  auto unasked = *compared(run(), fresh).comparison;
  EXPECT_TRUE(unasked.fixed.empty()) << "nobody looked";
  fresh.notApplicable.push_back({"graph-break/host-read", "none"});
  fresh.findings.push_back(sampleFinding("F8", "fusion/add-layer-norm", 80));
  auto c = *compared(run(), fresh).comparison;
  ASSERT_EQ(c.fixed.size(), 1u);  // F7 is suppressed
  EXPECT_EQ(c.fixed[0].finding, "F4");
  ASSERT_EQ(c.found.size(), 1u);
  EXPECT_EQ(c.found[0].finding, "F8");
  EXPECT_EQ(c.found[0].kind, "opportunity");
}

TEST(Comparison, LevelsAreComparedEachWithItself) {
  Report old = run(), fresh = run();
  for (auto* r : {&old, &fresh}) r->levels = sampleLevels();
  (*old.levels)[1].verdict.after.timings = {{"warm", around(200), {}, false}};
  (*fresh.levels)[1].verdict.after.timings = {{"warm", around(260), {}, false}};
  auto c = *compared(old, fresh).comparison;
  ASSERT_EQ(kinds(c.regressions), Kinds{"slower-whole"});
  EXPECT_EQ(c.regressions[0].what, "level 2, frozen TorchScript");
  (*fresh.levels)[1].verdict.outcome = Outcome::WrongOutput;
  EXPECT_EQ(kinds(compared(old, fresh).comparison->regressions), Kinds{"outputs-differ"});
}

TEST(Comparison, SizesOfABenchmarkAreComparedEachWithItself) {
  Report old, fresh;
  for (auto* r : {&old, &fresh})
    r->bench =
        Bench{"aten::gelu", 0, 0, {{"float32[8]", "", {9, 10, 11}}, {"float32[9]", "", {19, 20, 21}}}, {}};
  fresh.bench->rows[1].us = {29, 30, 31};
  Report r = compared(old, fresh);
  ASSERT_EQ(kinds(r.comparison->regressions), Kinds{"slower-kernel"});
  EXPECT_EQ(r.comparison->regressions[0].what, "aten::gelu over float32[9]");
  EXPECT_LACKS(rendered(r), "the whole:");
}

TEST(Comparison, WhatIsRefusedWhereItWasFoundIsNotFixed) {
  Report fresh = run();
  auto gone = fresh.findings[3];
  std::erase_if(fresh.findings, [](auto& f) { return f.id == "F4"; });
  fresh.notApplicable.push_back({gone.rule, "none"});
  EXPECT_EQ(compared(run(), fresh).comparison->fixed.size(), 1u);
  fresh.refused.push_back({gone.rule, gone.where, {"%x", "is used elsewhere"}});
  EXPECT_TRUE(compared(run(), fresh).comparison->fixed.empty());
}

TEST(Comparison, ALostFusionIsNotExplainedByAnotherPlaceThatWasAlwaysRefused) {
  Report old = run(), fresh = run();
  auto lost = fresh.composition.applied[1];
  auto rule = std::find_if(old.candidates.begin(), old.candidates.end(), [&](auto& c) {
                return c.id == lost.candidate;
              })->rule;
  for (auto* r : {&old, &fresh})
    r->refused.push_back(
        {rule, {"other.py", 99, 0, 0, 0, "elsewhere", "", ""}, {"%x", "is of another kind"}});
  std::erase_if(fresh.composition.applied, [&](auto& a) { return a.candidate == lost.candidate; });
  auto all = compared(old, fresh).comparison->regressions;
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].kind, "lost-fusion");
  EXPECT_LACKS(all[0].after, "is of another kind");
}

TEST(Comparison, SurvivesJson) {
  Report fresh = run();
  fresh.composition.applied[1].sites = 1;
  Json j = compared(run(), fresh);
  EXPECT_EQ(Json(j.get<Report>()), j);
}

TEST(MedianInterval, HoldsTheMedianAndNarrowsWithTheSamples) {
  Measurement m;
  EXPECT_EQ(medianInterval(m).mid, 0);
  m.timings = {{"warm", {3, 1, 2}, {}, false}};
  EXPECT_EQ(medianInterval(m).mid, 2);
  EXPECT_EQ(medianInterval(m).low, 1);
  EXPECT_EQ(medianInterval(m).high, 3);
  m.timings[0].wallUs.clear();
  for (int i = 1; i <= 101; ++i) m.timings[0].wallUs.push_back(i);
  auto i = medianInterval(m);
  EXPECT_EQ(i.mid, 51);
  EXPECT_NEAR(i.low, 41, 1);
  EXPECT_NEAR(i.high, 61, 1);
}

}  // namespace
}  // namespace kadvise
