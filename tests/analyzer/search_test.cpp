// Which sets are worth a trial as a whole.
#include "analyzer/search.h"

#include <gtest/gtest.h>

#include "analyzer/selection.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

Candidate candidate(const std::string& id, Ids findings, Ids follows = {}) {
  Candidate c;
  c.id = id;
  c.findings = std::move(findings);
  c.follows = std::move(follows);
  return c;
}

Verdict verdict(const std::string& id, Outcome outcome, double speedup, double wallUs = 100) {
  Verdict v;
  v.candidate = id;
  v.outcome = outcome;
  v.speedup = {speedup - 0.02, speedup, speedup + 0.02};
  v.accuracy.grade = "bitwise";
  v.before.timings = {{"warm", {wallUs}, {}, false}};
  return v;
}

struct Case {
  std::vector<Candidate> candidates;
  std::vector<Verdict> verdicts;
  double wholeUs = 1000;

  std::vector<Ids> setsAgainst(const Ids& current, Keep keep = Keep::NotSlower,
                               const Ids& crowdedOut = {}) const {
    std::vector<Ids> out;
    for (auto& t : trialsAgainst({current, crowdedOut}, {candidates, verdicts, keep, wholeUs}))
      out.push_back(t.set);
    return out;
  }
};

TEST(Search, TriesNothingWhereAllIsClearlyFaster) {
  Case c{{candidate("A", {"1"}), candidate("B", {"2"})},
         {verdict("A", Outcome::Faster, 2), verdict("B", Outcome::Faster, 1.5)}};
  EXPECT_TRUE(c.setsAgainst({"A", "B"}).empty());
}

TEST(Search, TriesTheFasterOnesAloneAndThenAllThatIsEqual) {
  Case c{{candidate("A", {"1"}), candidate("B", {"2"}), candidate("S", {"3"}), candidate("L", {"4"})},
         {verdict("A", Outcome::Faster, 2), verdict("B", Outcome::Same, 1),
          verdict("S", Outcome::Slower, .95), verdict("L", Outcome::Slower, .5)}};
  EXPECT_EQ(c.setsAgainst({"A", "B"}), (std::vector<Ids>{{"A"}, {"A", "B", "S"}}))
      << "what is far slower alone is not tried, and a set only once";
}

TEST(Search, TakesWhatIsSlowerAloneOnlyWhereTheUserAllowsIt) {
  Case c{{candidate("A", {"1"}), candidate("S", {"2"})},
         {verdict("A", Outcome::Faster, 2), verdict("S", Outcome::Slower, .95)}};
  EXPECT_EQ(c.setsAgainst({"A"}, Keep::NotSlower).size(), 1u);
  EXPECT_TRUE(c.setsAgainst({"A"}, Keep::Faster).empty());
  EXPECT_TRUE(c.setsAgainst({"A"}, Keep::Equal).empty()) << "all that is equal is wanted, whatever it takes";
}

TEST(Search, TriesTheOtherReplacementOfAPlaceWhereTheRegionDoesNotDecide) {
  Case close{{candidate("A", {"1"}), candidate("B", {"1"})},
             {verdict("A", Outcome::Faster, 1.50), verdict("B", Outcome::Faster, 1.48)}};
  EXPECT_EQ(close.setsAgainst({"A"}), (std::vector<Ids>{{"B"}}));
  Case clear{{candidate("A", {"1"}), candidate("B", {"1"})},
             {verdict("A", Outcome::Faster, 1.50), verdict("B", Outcome::Faster, 1.2)}};
  EXPECT_TRUE(clear.setsAgainst({"A"}).empty());
}

TEST(Search, LeavesOutASmallGainOnlyWhereItsRegionIsLargeEnoughToShow) {
  Case c{{candidate("A", {"1"}), candidate("B", {"2"}), candidate("C", {"3"})},
         {verdict("A", Outcome::Faster, 1.04, 300), verdict("B", Outcome::Faster, 1.04, 500),
          verdict("C", Outcome::Faster, 1.04, 10)}};
  EXPECT_EQ(c.setsAgainst({"A", "B", "C"}), (std::vector<Ids>{{"A", "C"}, {"B", "C"}}))
      << "the largest region first; C is 1 % of a call";
}

TEST(Search, ASetHoldsNothingWhosePlaceItDoesNotMake) {
  Case c{
      {candidate("A", {"1"}), candidate("B", {"2"}, {"A"}), candidate("C", {"3"})},
      {verdict("A", Outcome::Same, 1), verdict("B", Outcome::Faster, 2), verdict("C", Outcome::Faster, 2)}};
  EXPECT_EQ(c.setsAgainst({"A", "B", "C"}), (std::vector<Ids>{{"C"}}));
  EXPECT_EQ(select(c.candidates, c.verdicts, Keep::Faster).kept, (Ids{"C"}));
}

TEST(Search, WhatFoundItsPlacesTakenIsTriedFirst) {
  Case c{{candidate("A", {"1", "2", "3"}), candidate("B", {"4", "5"})},
         {verdict("A", Outcome::Faster, 1.4), verdict("B", Outcome::Faster, 1.5)}};
  EXPECT_TRUE(c.setsAgainst({"A", "B"}).empty());
  EXPECT_EQ(c.setsAgainst({"A", "B"}, Keep::NotSlower, {"B"}), (std::vector<Ids>{{"B", "A"}}));
}

TEST(Search, ATrialGetsAShareOfWhatTheProofLeavesOver) {
  EXPECT_DOUBLE_EQ(secondsForTrial(26, 60), 0.34 * 20) << "6 s are for the proof";
  EXPECT_DOUBLE_EQ(secondsForTrial(10, 60), kLeastTrialSeconds) << "less says nothing";
  EXPECT_EQ(secondsForTrial(8.9, 60), 0) << "the budget is spent";
}

TEST(Search, AComparisonLeavesTheirShareToThoseThatFollow) {
  EXPECT_DOUBLE_EQ(secondsOfShare(0.1, 0.3, 60, 60), 6);
  EXPECT_DOUBLE_EQ(secondsOfShare(0.1, 0.3, 24, 60), 6) << "just enough for all";
  EXPECT_DOUBLE_EQ(secondsOfShare(0.1, 0.3, 12, 60), 3) << "half of it";
  EXPECT_EQ(secondsOfShare(0.1, 0.3, -2, 60), 0) << "overdrawn";
  double left = 12, spent = 0;
  for (double follow : {0.3, 0.2, 0.1, 0.0}) spent += secondsOfShare(0.1, follow, left - spent, 60);
  EXPECT_NEAR(spent, 12, 1e-9) << "and never more than is left";
}

Verdict onGpuAlone(Verdict v, double cold, double hot) {
  v.before.counters = {{"coldSpeedup", cold}, {"hotSpeedup", hot}};
  return v;
}

TEST(Search, InGraphsOnlyTheTimeOnTheGpuCounts) {
  std::vector<Candidate> candidates = {candidate("A", {"1"}), candidate("B", {"2"}),
                                       candidate("C", {"3"}, {"A"}), candidate("D", {"4"})};
  std::vector<Verdict> verdicts = {onGpuAlone(verdict("A", Outcome::Faster, 1.8), 0.8, 0.7),
                                   onGpuAlone(verdict("B", Outcome::Faster, 1.2), 1.1, 0.9),
                                   onGpuAlone(verdict("C", Outcome::Faster, 1.2), 1.1, 1.1),
                                   verdict("D", Outcome::Faster, 1.2)};
  auto trial = [&](const Ids& set, Keep keep) {
    return trialInGraphs({set, {}}, {candidates, verdicts, keep, 1000});
  };
  auto lean = trial({"A", "B", "C", "D"}, Keep::NotSlower);
  ASSERT_TRUE(lean);
  EXPECT_EQ(lean->set, (Ids{"B", "D"})) << "C stands on A";
  EXPECT_FALSE(trial({"B", "D"}, Keep::NotSlower));
  EXPECT_FALSE(trial({"A", "B"}, Keep::Equal));
  EXPECT_EQ(trial({"A"}, Keep::Faster)->set, Ids{});
}

TEST(Search, NeverTriesWhatIsNotEqual) {
  Case c{{candidate("A", {"1"}), candidate("W", {"1"}), candidate("X", {"2"})},
         {verdict("A", Outcome::Faster, 2), verdict("W", Outcome::WrongOutput, 3),
          verdict("X", Outcome::Failed, 3)}};
  EXPECT_TRUE(c.setsAgainst({"A"}).empty());
}

}  // namespace
}  // namespace kadvise
