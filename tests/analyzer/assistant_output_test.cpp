// What the assistant composes of the candidates and what it writes: nothing that is slower or differs.
#include <gtest/gtest.h>

#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

Json errors(double rmsUlp) {
  return {{"rmsUlp", rmsUlp},        {"p999Ulp", 2},         {"maxUlp", 4}, {"bias", 0}, {"scale", 1},
          {"grade", "within-bound"}, {"worstCase", "normal"}};
}

const Json kBeyond = {{"outcome", "wrong-output"}, {"reason", "max error 9 ulp"}, {"accuracy", errors(5)}};

TEST(Assistant, ComposesNothingWhenNothingIsKept) {
  Setting s(Json{{"verdicts", {{"C1", {{"outcome", "slower"}}}}}});
  Report r = s.optimize();
  EXPECT_FALSE(asked(s.fake, "compose"));
  EXPECT_EQ(r.whole.reason, "nothing to apply: of 1 proposal none is equal and not slower");
  EXPECT_FALSE(r.output->written);
  EXPECT_EQ(
      r.output->reason,
      "nothing to apply: of 1 proposal none is equal and not slower; --keep equal writes what is proven "
      "equal, faster or not");
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
             {"dropped",
              {{{"candidate", "C1"},
                {"reason", "what is kept of other proposals already changes operators of this region"}}}}}}});
  Report r = s.analyze();
  EXPECT_TRUE(r.composition.applied.empty());
  EXPECT_EQ(r.whole.reason, "nothing to apply");
}

TEST(Assistant, LeavesTheLessExactOutWhereErrorsAddUp) {
  Setting s(with(
      twoCandidates(), "verdicts",
      {{"C1", {{"accuracy", errors(3)}}}, {"C2", {{"accuracy", errors(0.5)}}}, {"whole of C1 C2", kBeyond}}));
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

TEST(Assistant, AppliesNothingWhereNoReplacementIsWithinTheBoundsOfTheWhole) {
  Setting s(with(twoCandidates(), "verdicts", {{"whole", kBeyond}}));
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::NotRun);
  EXPECT_EQ(r.whole.reason,
            "nothing to apply: no replacement leaves the whole module within its bounds: max error 9 ulp");
  EXPECT_EQ(r.output->reason, r.whole.reason);
  EXPECT_TRUE(r.composition.applied.empty());
  ASSERT_EQ(r.composition.dropped.size(), 2u);
  EXPECT_EQ(r.composition.dropped[0].reason, "in the whole module it leaves its bounds: max error 9 ulp");
  EXPECT_TRUE(r.errors.empty());
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, AppliesTheOthersWhereOneLeavesTheBoundsOfTheWhole) {
  Setting s(with(twoCandidates(), "verdicts",
                 {{"C1", {{"accuracy", errors(0.5)}}},
                  {"C2", {{"accuracy", errors(3)}}},
                  {"whole of C1", kBeyond},
                  {"whole of C1 C2", kBeyond}}));
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  ASSERT_EQ(r.composition.applied.size(), 1u);
  EXPECT_EQ(r.composition.applied[0].candidate, "C2");
  EXPECT_TRUE(r.output->written);
}

// The region's own verdict was equal, so its part was not measured.
TEST(Assistant, WhereAWholeRegionStaysOutItsPartsAreMeasuredInItsPlace) {
  Json scenario = {{"findings", {{{"id", "F1"}}, {{"id", "F2"}}}},
                   {"candidates",
                    {{{"id", "C1"}, {"findings", {"F1"}}, {"ofRegion", true}, {"parts", {"C2"}}},
                     {{"id", "C2"}, {"findings", {"F2"}}}}},
                   {"verdicts", {{"whole of C1", kBeyond}, {"whole of C1 C2", kBeyond}}}};
  Setting s(scenario);
  Report r = s.optimize();
  ASSERT_EQ(r.composition.applied.size(), 1u) << r.whole.reason;
  EXPECT_EQ(r.composition.applied[0].candidate, "C2");
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::Faster);
  ASSERT_EQ(r.composition.dropped.size(), 1u);
  EXPECT_EQ(r.composition.dropped[0].reason, "in the whole module it leaves its bounds: max error 9 ulp");
  EXPECT_TRUE(r.output->written);
}

// Four of which all together leave the bounds of the whole, as the first short comparison sees, too.
Json fourCandidates(Json verdicts) {
  Json out = {{"findings", Json::array()}, {"candidates", Json::array()}};
  for (auto* n : {"1", "2", "3", "4"}) {
    out["findings"].push_back({{"id", std::string("F") + n}});
    out["candidates"].push_back({{"id", std::string("C") + n}, {"findings", {std::string("F") + n}}});
    verdicts[std::string("C") + n]["accuracy"] = errors(n[0] - '0');  // C4 is the dearest
  }
  verdicts["whole of C1 C2 C3 C4"] = kBeyond;
  return with(out, "verdicts", verdicts);
}

TEST(Assistant, WhatALongerComparisonRefutesIsProvenWithoutTheDearest) {
  Setting s(fourCandidates({{"timed whole of C1 C2 C3", kBeyond}}));
  Report r = s.optimize();
  ASSERT_EQ(r.composition.applied.size(), 2u) << r.whole.reason;
  EXPECT_EQ(r.composition.applied[1].candidate, "C2");
  ASSERT_EQ(r.composition.dropped.size(), 2u);
  for (auto& d : r.composition.dropped)
    EXPECT_EQ(d.reason, "together with the others the module leaves its bounds: max error 9 ulp");
  EXPECT_TRUE(r.output->written);
}

TEST(Assistant, WhereALongerComparisonRefutesAllSetsEachIsProvenAlone) {
  Json verdicts = Json::object();
  for (auto* set : {"C1 C2 C3", "C1 C2", "C1", "C2", "C3"})
    verdicts[std::string("timed whole of ") + set] = kBeyond;
  Setting s(fourCandidates(verdicts));
  Report r = s.optimize();
  ASSERT_EQ(r.composition.applied.size(), 1u) << r.whole.reason;
  EXPECT_EQ(r.composition.applied[0].candidate, "C4");
  ASSERT_EQ(r.composition.dropped.size(), 3u);
  for (auto& d : r.composition.dropped)
    EXPECT_EQ(d.reason, "in the whole module it leaves its bounds: max error 9 ulp");
}

TEST(Assistant, SetsThatThereWasNoTimeToProveAreSaidToBeUntried) {
  Json verdicts = Json::object();
  for (auto* set : {"C1 C2 C3", "C1 C2", "C1", "C2", "C3", "C4"})
    verdicts[std::string("timed whole of ") + set] = kBeyond;
  Json slow = fault("measure", "compare", "slow", 99);
  slow["candidate"] = "whole", slow["timing"] = true;
  Setting s(with(fourCandidates(verdicts), "faults", Json::array({slow})));
  s.options.budgetSeconds = 3;
  Report r = s.optimize();
  EXPECT_TRUE(r.composition.applied.empty());
  std::string reason = r.whole.reason;
  EXPECT_TRUE(reason.starts_with("nothing to apply: no set of replacements that was tried leaves")) << reason;
  EXPECT_FALSE(r.output->written);
}

// A whole region that leaves the bounds of the module, and its one part.
Json beyondWithPart(const Json& ofPart, const Json& partFollows) {
  return {{"findings", {{{"id", "F1"}}, {{"id", "F2"}}}},
          {"candidates",
           {{{"id", "C1"}, {"findings", {"F1"}}, {"ofRegion", true}, {"parts", {"C2"}}},
            {{"id", "C2"}, {"findings", {"F2"}}, {"follows", partFollows}}}},
          {"verdicts", {{"whole of C1", kBeyond}, {"C2", ofPart}}}};
}

TEST(Assistant, PartsThatAreNotKeptAreNotAppliedInPlaceOfTheirRegion) {
  struct Case {
    Json ofPart, partFollows;
  };
  for (auto& c : {Case{{{"outcome", "slower"}}, Json::array()},
                  Case{{{"outcome", "faster"}}, {"C1"}}}) {  // its place goes with the region
    Setting s(beyondWithPart(c.ofPart, c.partFollows));
    Report r = s.optimize();
    EXPECT_TRUE(r.composition.applied.empty());
    EXPECT_EQ(r.whole.reason,
              "nothing to apply: no replacement leaves the whole module within its bounds: max error 9 ulp");
    EXPECT_EQ(word(verdictOf(r, "C2")->outcome), c.ofPart.at("outcome").get<std::string>());
    EXPECT_FALSE(r.output->written);
  }
}

TEST(Assistant, WhereNothingIsLeftWhatTheBudgetLeftOutIsMeasured) {
  Json slow = fault("measure", "compare", "slow", 1);
  slow["candidate"] = "C1";
  Setting s(with(with(twoCandidates(), "verdicts", {{"whole of C1", kBeyond}, {"C1", {{"outcome", "same"}}}}),
                 "faults", Json::array({slow})));
  s.options.budgetSeconds = 2;
  Report r = s.optimize();
  ASSERT_EQ(r.composition.applied.size(), 1u) << r.whole.reason;
  EXPECT_EQ(r.composition.applied[0].candidate, "C2");
  EXPECT_TRUE(r.output->written);
}

// The comparisons of the whole take all that there is; what was found before that is timed and written.
TEST(Assistant, TheSearchForASmallerSetLeavesTimeToProveIt) {
  Json slow = fault("measure", "compare", "slow", 9);
  slow["candidate"] = "whole";
  Json scenario = {{"findings", Json::array()}, {"candidates", Json::array()}};
  for (auto* n : {"1", "2", "3", "4"}) {
    scenario["findings"].push_back({{"id", std::string("F") + n}});
    scenario["candidates"].push_back({{"id", std::string("C") + n}, {"findings", {std::string("F") + n}}});
  }
  scenario["faults"] = Json::array({slow});
  Setting s(with(scenario, "verdicts", {{"whole of C1 C2 C3 C4", kBeyond}}));
  s.options.budgetSeconds = 4;
  Report r = s.optimize();
  ASSERT_EQ(r.composition.applied.size(), 2u);
  EXPECT_EQ(r.composition.applied[1].candidate, "C2");
  EXPECT_EQ(r.composition.dropped.back().reason,
            "not tried with fewer others within the budget: all together leave the bounds: max error 9 ulp");
  EXPECT_TRUE(r.output->written);
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
  Json shape = {{"outcome", "wrong-output"}, {"reason", "output 0"}, {"accuracy", errors(0)}};
  Setting s(Json{{"verdicts", {{"whole", shape}}}});
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::WrongOutput) << "a difference in kind is no sum of roundings";
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
