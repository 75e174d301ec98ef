// What the assistant does with places that its own replacements make.
#include <gtest/gtest.h>

#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

// C1 in the user's module; C2 in what C1 makes of it.
Json twoRounds() {
  return {{"rounds",
           {{{"findings", {{{"id", "F2"}, {"message", "a mask (after fusion/attention)"}}}},
             {"candidates", {{{"id", "C2"}, {"findings", {"F2"}}, {"follows", {"C1"}}}}}}}}};
}

std::size_t times(const FakeEngines& fake, const std::string& request) {
  auto all = fake.requests();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), request));
}

using Ids = std::vector<std::string>;

TEST(Rounds, WhatAReplacementMakesPossibleIsFoundMeasuredAndApplied) {
  Setting s(twoRounds());
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  ASSERT_EQ(r.findings.size(), 2u);
  EXPECT_EQ(r.findings[1].round, 2);
  ASSERT_NE(verdictOf(r, "C2"), nullptr);
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::Faster);
  EXPECT_EQ(times(s.fake, "match-again"), 2u) << "round 3 finds nothing, and ends the rounds";
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
}

TEST(Rounds, RegionsOfALaterRoundAreCutFromWhatWasComposed) {
  Setting s(twoRounds());
  s.analyze();
  EXPECT_NE(s.fake.read("messages.jsonl").find(R"("base":{"path":"round2.pt"},"out":"")"), std::string::npos);
}

TEST(Rounds, ARuleThatFailsInOneIsSaidAndCostsNoOther) {
  Json rounds = twoRounds();
  rounds["rounds"][0]["stopped"] = {{{"rule", "memory/tables"}, {"reason", "no such operator"}}};
  Setting s(rounds);
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_EQ(std::count(r.notes.begin(), r.notes.end(),
                       "memory/tables did not look at what the replacements make possible: no such operator"),
            1);
}

TEST(Rounds, AreNotFollowedWithASmallBudget) {
  Setting s(twoRounds());
  s.options.budgetSeconds = 20;
  EXPECT_EQ(applied(s.analyze()), (Ids{"C1"}));
  EXPECT_FALSE(asked(s.fake, "advance"));
}

TEST(Rounds, OneThatARuleWaitsForIsFollowedWithAnyBudget) {
  Setting s(with(twoRounds(), "matched", {{"looksAgain", true}}));
  s.options.budgetSeconds = 5;
  EXPECT_EQ(applied(s.analyze()), (Ids{"C1", "C2"}));
  EXPECT_EQ(times(s.fake, "match-again"), 1u);
}

TEST(Rounds, AreNotFollowedWhereNothingIsKept) {
  Setting s(with(twoRounds(), "verdicts", {{"C1", {{"outcome", "slower"}}}}));
  EXPECT_TRUE(applied(s.analyze()).empty());
  EXPECT_FALSE(asked(s.fake, "advance"));
}

TEST(Rounds, WhatIsWorseInALaterRoundStaysOut) {
  Setting s(with(twoRounds(), "verdicts", {{"C2", {{"outcome", "slower"}}}}));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1"}));
  EXPECT_EQ(times(s.fake, "match-again"), 1u) << "the same set makes the same module";
}

TEST(Rounds, TheLevelHoldsInEveryRound) {
  Setting s(twoRounds());
  s.options.level = 2;
  s.analyze();
  auto log = s.fake.read("messages.jsonl");
  EXPECT_NE(log.find(R"("maxLevel":2)"), std::string::npos);
  EXPECT_EQ(log.find(R"("maxLevel":5)"), std::string::npos);
}

TEST(Rounds, LaterFindingsDoNotCountForABaseline) {
  Setting s(twoRounds());
  s.options.writeBaseline = s.fake.folder / "known.json";
  s.analyze();
  auto text = s.fake.read("known.json");
  EXPECT_NE(text.find("\"F1\""), std::string::npos);
  EXPECT_EQ(text.find("\"F2\""), std::string::npos) << "what is kept may differ in the next run";
}

std::string whyDropped(const Report& r, const std::string& candidate) {
  for (auto& d : r.composition.dropped)
    if (d.candidate == candidate) return d.reason;
  return "";
}

TEST(Rounds, OfTwoThatLeaveTheBoundsTogetherTheLaterOneStaysOut) {
  Setting s(with(twoRounds(), "verdicts", {{"whole of C1 C2", {{"outcome", "wrong-output"}}}}));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1"}));
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
}

TEST(Rounds, WhatOneMakesStaysOutWithIt) {
  Json two = with(twoRounds(), "findings", {{{"id", "F1"}}, {{"id", "F3"}}});
  two["candidates"] = {{{"id", "C1"}, {"findings", {"F1"}}}, {{"id", "C3"}, {"findings", {"F3"}}}};
  Json exact = {{"rmsUlp", 0}, {"p999Ulp", 0},       {"maxUlp", 0},          {"bias", 0},
                {"scale", 1},  {"grade", "bitwise"}, {"worstCase", "normal"}},
       inexact = exact;
  inexact["rmsUlp"] = 0.9, inexact["grade"] = "within-bound";
  two["verdicts"] = {{"whole of C1 C3 C2", {{"outcome", "wrong-output"}}},
                     {"whole of C1 C3", {{"outcome", "wrong-output"}}},
                     {"C1", {{"accuracy", inexact}}},
                     {"C2", {{"accuracy", exact}}}};
  Setting s(two);
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C3"}));
  EXPECT_EQ(whyDropped(r, "C2"), "the replacement that makes its place is not kept");
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
}

// The run goes on with what the first round found, whichever engine dies where.
TEST(Rounds, AnEngineThatDiesCostsTheRoundAndNothingElse) {
  for (auto* verb : {"advance", "match-again"}) {
    Setting s(with(twoRounds(), "faults", Json::array({fault("graph", verb, "sigkill")})));
    Report r = s.optimize();
    EXPECT_EQ(applied(r), (Ids{"C1"})) << verb;
    EXPECT_TRUE(r.errors.empty()) << verb;
    EXPECT_TRUE(r.output->written) << verb << ": a new engine repeats what the old one had done";
    EXPECT_NE(r.notes[0].find("was killed by SIGKILL while"), std::string::npos) << r.notes[0];
  }
}

TEST(Rounds, AnEngineThatDiesInTheThirdRoundKeepsTheSecond) {
  Json dies = fault("graph", "advance", "sigkill");
  Setting s(with(twoRounds(), "faults", Json::array({fault("graph", "advance", "slow"), dies})));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_TRUE(r.output->written);
}

// It would answer from half of what the old one knew.
TEST(Rounds, AnEngineThatDoesNotComeBackWholeIsAskedNothingMore) {
  Json faults = Json::array({fault("graph", "match", "slow"), fault("graph", "match", "error"),
                             fault("graph", "advance", "sigkill")});
  Setting s(with(twoRounds(), "faults", faults));
  Report r = s.optimize();
  EXPECT_TRUE(applied(r).empty());
  EXPECT_FALSE(r.output->written);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].what, "kadvise-graph is no longer running");
}

TEST(Rounds, ARoundWhoseRegionsCannotBeCutIsAsIfItHadNotBeen) {
  Json fails = fault("measure", "trace", "error");
  fails["base"] = {{"path", "round2.pt"}}, fails["out"] = "";
  Setting s(with(twoRounds(), "faults", Json::array({fails})));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1"}));
  EXPECT_EQ(r.candidates.size(), 1u);
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.notes[0], "what the replacements make possible was not looked for to the end: cannot be run");
}

TEST(Rounds, ARoundThatTheEngineRefusesIsNoted) {
  Setting s(with(twoRounds(), "faults", Json::array({fault("graph", "match-again", "error")})));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1"}));
  EXPECT_EQ(r.notes[0], "what the replacements make possible was not looked for to the end: cannot be run");
}

}  // namespace
}  // namespace kadvise
