// An engine that dies or answers wrongly costs what it was working on, and the report says so.
#include <gtest/gtest.h>

#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

TEST(Assistant, GoesOnAfterACandidateThatKillsTheEngine) {
  Setting s(
      with(twoCandidates(), "faults",
           {{{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "sigkill"}}}));
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Failed);
  EXPECT_EQ(verdictOf(r, "C1")->reason.rfind("kadvise-measure was killed by SIGKILL while checking C1", 0),
            0u);
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::Faster);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.errors.empty()) << "a candidate's death is its verdict";
}

TEST(Assistant, LeavesTheRestUnmeasuredWhenTheEngineCannotComeBack) {
  Json faults = {
      {{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "sigkill"}},
      {{"engine", "kadvise-measure"}, {"verb", "open"}, {"do", "slow"}},  // the first opening is fine
      {{"engine", "kadvise-measure"}, {"verb", "open"}, {"do", "exit3"}, {"times", 9}}};
  // The second fault counts only from the second opening on: the first is taken by the fault before it.
  Setting s(with(twoCandidates(), "faults", faults));
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Failed);
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::NotRun);
  EXPECT_NE(verdictOf(r, "C2")->reason.find("ended with exit code 3 while loading the module"),
            std::string::npos);
  EXPECT_FALSE(r.errors.empty());
}

TEST(Assistant, SaysWhenTheGraphEngineDies) {
  for (const char* verb : {"load", "compile", "match", "compose"}) {
    Setting s(scenarioWith({fault("graph", verb, "sigkill")}));
    Report r = s.optimize();
    ASSERT_EQ(r.errors.size(), 1u) << verb;
    EXPECT_EQ(r.errors[0].what.rfind("kadvise-graph was killed by SIGKILL while", 0), 0u) << r.errors[0].what;
    EXPECT_EQ(r.whole.outcome, Outcome::NotRun);
    EXPECT_FALSE(r.output->written);
    EXPECT_TRUE(s.leftNothing());
  }
}

TEST(Assistant, WritesNothingWhenTheGraphEngineDiesWhileWriting) {
  Json dies = fault("graph", "compose", "sigkill");
  dies["weights"] = true;
  Setting s(scenarioWith({dies}));
  Report r = s.optimize();
  EXPECT_FALSE(r.output->written);
  EXPECT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster) << "what was measured stands";
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, SaysWhenTheMeasureEngineDiesBeforeThereIsACandidate) {
  Setting s(scenarioWith({fault("measure", "trace", "sigkill")}));
  Report r = s.analyze();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].what.rfind("kadvise-measure was killed by SIGKILL while tracing", 0), 0u)
      << r.errors[0].what;
}

TEST(Assistant, SurvivesAnAnswerThatLacksItsFields) {
  Setting s(scenarioWith({fault("graph", "load", "bad-done")}));
  Report r = s.analyze();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_NE(r.errors[0].what.find("not as agreed"), std::string::npos);
}

TEST(Assistant, FailsACandidateWithoutAVerdict) {
  Setting s(with(
      twoCandidates(), "faults",
      {{{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "no-verdict"}}}));
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Failed);
  EXPECT_EQ(verdictOf(r, "C1")->reason, "kadvise-measure gave no verdict");
}

}  // namespace
}  // namespace kadvise
