// What the assistant composes of the candidates and what it writes: nothing that is slower or differs.
#include <gtest/gtest.h>

#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

Json errors(double rmsUlp) {
  return {{"rmsUlp", rmsUlp},        {"p999Ulp", 2},         {"maxUlp", 4}, {"bias", 0}, {"scale", 1},
          {"grade", "within-bound"}, {"worstCase", "normal"}};
}

TEST(Assistant, ComposesNothingWhenNothingIsKept) {
  Setting s(Json{{"verdicts", {{"C1", {{"outcome", "slower"}}}}}});
  Report r = s.optimize();
  EXPECT_FALSE(asked(s.fake, "compose"));
  EXPECT_EQ(r.whole.reason, "nothing to apply: of 1 proposal none is equal and not slower");
  EXPECT_FALSE(r.output->written);
  EXPECT_EQ(r.output->reason, "nothing to apply: of 1 proposal none is equal and not slower");
}

TEST(Assistant, ComposesASlowerCandidateForKeepEqual) {
  Setting s(Json{{"verdicts", {{"*", {{"outcome", "slower"}}}}}});
  s.options.keep = Keep::Equal;
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::Slower);
  EXPECT_TRUE(r.output->written);
}

TEST(Assistant, LeavesOutWhatTheComposerCouldNotApply) {
  Setting s(
      Json{{"composed",
            {{"applied", {{{"candidate", "C1"}, {"sites", 0}}}},
             {"dropped", {{{"candidate", "C1"}, {"reason", "another candidate changed this region"}}}}}}});
  Report r = s.analyze();
  EXPECT_TRUE(r.composition.applied.empty());
  EXPECT_EQ(r.whole.reason, "nothing to apply");
}

TEST(Assistant, LeavesTheLessExactOutWhereErrorsAddUp) {
  Json beyond = {{"outcome", "wrong-output"}, {"reason", "max error 9 ulp"}, {"accuracy", errors(5)}};
  Setting s(with(
      twoCandidates(), "verdicts",
      {{"C1", {{"accuracy", errors(3)}}}, {"C2", {{"accuracy", errors(0.5)}}}, {"whole of C1 C2", beyond}}));
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  ASSERT_EQ(r.composition.applied.size(), 1u);
  EXPECT_EQ(r.composition.applied[0].candidate, "C2");
  ASSERT_EQ(r.composition.dropped.size(), 1u);
  EXPECT_EQ(r.composition.dropped[0].candidate, "C1");
  EXPECT_EQ(r.composition.dropped[0].reason,
            "together with the others the module leaves its bounds: max error 9 ulp");
  EXPECT_TRUE(r.output->written);
}

TEST(Assistant, GivesUpWhereNothingIsLeftThatIsExact) {
  Json beyond = {{"outcome", "wrong-output"}, {"reason", "max error 9 ulp"}, {"accuracy", errors(5)}};
  Setting s(with(twoCandidates(), "verdicts", {{"whole", beyond}}));
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::WrongOutput);
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, WritesTheFasterModule) {
  Setting s;
  Report r = s.optimize();
  ASSERT_TRUE(r.output->written) << r.output->reason;
  std::string text = s.fake.read("fast.pt");
  EXPECT_EQ(text.rfind("a faster module", 0), 0u);
  EXPECT_NE(text.find("fusion/add-layer-norm"), std::string::npos) << "its provenance is in it";
  EXPECT_NE(verdictOf(r, "written"), nullptr);
  EXPECT_EQ(s.fake.requests().back(), "compare:written");
}

TEST(Assistant, WritesNothingThatIsSlowerAsAWhole) {
  Setting s(Json{{"verdicts", {{"whole", {{"outcome", "slower"}}}}}});
  Report r = s.optimize();
  EXPECT_FALSE(r.output->written);
  EXPECT_NE(r.output->reason.find("slower as a whole"), std::string::npos);
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, WritesNothingThatDiffersAsAWhole) {
  Setting s(Json{{"verdicts", {{"whole", {{"outcome", "wrong-output"}, {"reason", "output 0"}}}}}});
  Report r = s.optimize();
  EXPECT_NE(r.output->reason.find("not shown to be equal: output 0"), std::string::npos);
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, TakesAFileBackThatDoesNotVerify) {
  Setting s(Json{{"verdicts", {{"written", {{"outcome", "wrong-output"}, {"reason", "output 0"}}}}}});
  Report r = s.optimize();
  EXPECT_NE(r.output->reason.find("the written file does not give equal outputs"), std::string::npos);
  EXPECT_EQ(r.whole.outcome, Outcome::WrongOutput) << "what refutes the file refutes the whole";
  EXPECT_TRUE(r.errors.empty()) << "a check that fails is no failure to run";
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, LeavesAnOlderFileAloneWhenItDoesNotWrite) {
  Setting s(Json{{"verdicts", {{"written", {{"outcome", "failed"}}}}}});
  std::ofstream(s.output()) << "older";
  s.optimize();
  EXPECT_EQ(s.fake.read("fast.pt"), "older");
}

}  // namespace
}  // namespace kadvise
