// How the assistant chooses the set: scripted figures lead to the expected one, and whatever goes wrong, what
// was proven stands.
#include <gtest/gtest.h>

#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

Json figures(const char* outcome, double speedup) {
  return {{"outcome", outcome},
          {"speedup", {{"low", speedup - 0.02}, {"mid", speedup}, {"high", speedup + 0.02}}}};
}

const Json kFaster = figures("faster", 1.2), kSame = figures("same", 1.0), kSlower = figures("slower", 0.95);

// C1 is faster, C2 the same, in their regions.
Json oneFasterOneSame(Json verdicts = Json::object()) {
  verdicts["C2"] = kSame;
  return with(twoCandidates(), "verdicts", verdicts);
}

std::vector<Ids> setsOf(const Report& r) {
  std::vector<Ids> out;
  for (auto& s : r.search) out.push_back(s.set);
  return out;
}

TEST(Search, ASetThatIsFasterAsAWholeReplacesTheFirst) {
  Setting s(oneFasterOneSame({{"C1 against C1 C2", kFaster}}));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), (Ids{"C1"}));
  EXPECT_EQ(setsOf(r), (std::vector<Ids>{{"C1", "C2"}, {"C1"}, {"C1"}}));
  EXPECT_EQ(r.search[0].decision, "further sets are tried against it");
  EXPECT_EQ(r.search[1].against, (Ids{"C1", "C2"}));
  EXPECT_EQ(r.search[1].decision, "taken: clearly faster");
  EXPECT_EQ(r.search[2].decision, "proven");
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.output->written);
  ASSERT_EQ(r.composition.dropped.size(), 1u);
  EXPECT_EQ(r.composition.dropped[0].candidate, "C2");
  EXPECT_EQ(r.composition.dropped[0].reason, "the whole module is faster without it");
}

TEST(Search, WithoutAClearGainTheFirstSetStands) {
  for (auto& figure : {kSame, kSlower, figures("ambiguous", 1.03), figures("wrong-output", 1.2)}) {
    Setting s(oneFasterOneSame({{"C1 against C1 C2", figure}}));
    Report r = s.optimize();
    EXPECT_EQ(applied(r), (Ids{"C1", "C2"})) << figure;
    EXPECT_TRUE(r.output->written);
    ASSERT_EQ(r.search.size(), 2u);
    EXPECT_EQ(r.search[1].decision.rfind("not taken", 0), 0u) << r.search[1].decision;
  }
}

TEST(Search, WhatIsSlowerAloneMayPayInCompany) {
  Setting s(with(twoCandidates(), "verdicts", {{"C2", kSlower}, {"C1 C2 against C1", kFaster}}));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_EQ(setsOf(r), (std::vector<Ids>{{"C1"}, {"C1", "C2"}, {"C1", "C2"}}));
}

TEST(Search, TheOtherReplacementOfAPlaceMayBeTheBetterOneAsAWhole) {
  Json scenario = {
      {"findings", {{{"id", "F1"}}}},
      {"candidates", {{{"id", "C1"}, {"findings", {"F1"}}}, {{"id", "C2"}, {"findings", {"F1"}}}}},
      {"verdicts",
       {{"C1", figures("faster", 1.5)}, {"C2", figures("faster", 1.49)}, {"C2 against C1", kFaster}}}};
  Setting s(scenario);
  EXPECT_EQ(applied(s.analyze()), (Ids{"C2"}));
}

// Two rules whose regions overlap: the second finds a place taken.
TEST(Search, TheOtherOrderOfOverlappingReplacementsIsTried) {
  Json scenario = with(twoCandidates(), "overlaps", Json::array({Json::array({"C1", "C2"})}));
  Setting s(with(scenario, "verdicts", {{"C2 C1 against C1 C2", kFaster}}));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C2", "C1"}));
  EXPECT_EQ(r.composition.applied[1].sites, 1);
}

TEST(Search, AnEarlierWinIsWhatTheNextTrialIsHeldAgainst) {
  Json scenario = {
      {"findings", {{{"id", "F1"}}, {{"id", "F2"}}, {{"id", "F3"}}}},
      {"candidates",
       {{{"id", "C1"}, {"findings", {"F1"}}},
        {{"id", "C2"}, {"findings", {"F2"}}},
        {{"id", "C3"}, {"findings", {"F3"}}}}},
      {"verdicts",
       {{"C2", kSame}, {"C3", kSame}, {"C1 against C1 C2 C3", kFaster}, {"C1 C2 C3 against C1", kFaster}}}};
  Setting s(scenario);
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1"})) << "a set that has lost is not tried again";
  EXPECT_EQ(r.search.back().decision, "proven");
}

TEST(Search, AWinnerThatIsNotProvenFallsBackToTheFirstSet) {
  for (auto* outcome : {"wrong-output", "failed", "ambiguous", "slower"}) {
    Setting s(oneFasterOneSame({{"C1 against C1 C2", kFaster}, {"whole of C1", {{"outcome", outcome}}}}));
    Report r = s.optimize();
    EXPECT_EQ(applied(r), (Ids{"C1", "C2"})) << outcome;
    EXPECT_EQ(r.whole.outcome, Outcome::Faster) << outcome;
    EXPECT_TRUE(r.errors.empty()) << outcome;
    EXPECT_TRUE(r.output->written) << outcome;
    EXPECT_NE(r.search.back().decision.find("the first set stands"), std::string::npos);
  }
}

TEST(Search, IsNotBegunWithASmallBudget) {
  Setting s(oneFasterOneSame({{"C1 against C1 C2", kFaster}}));
  s.options.budgetSeconds = 20;
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_TRUE(r.search.empty());
}

// Of one finding each.
Json manyCandidates(std::size_t candidates) {
  Json scenario = {{"findings", Json::array()}, {"candidates", Json::array()}};
  for (std::size_t i = 1; i <= candidates; ++i) {
    auto n = std::to_string(i);
    scenario["findings"].push_back({{"id", "F" + n}});
    scenario["candidates"].push_back({{"id", "C" + n}, {"findings", {"F" + n}}});
  }
  return scenario;
}

// What the first candidate may take for its timing.
double firstShare(std::size_t candidates) {
  Setting s(manyCandidates(candidates));
  s.options.budgetSeconds = 40;
  s.analyze();
  std::stringstream lines(s.fake.read("messages.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    Json m = Json::parse(line);
    if (m.value("verb", "") == "compare" && m["arguments"]["candidate"] == "C1")
      return m["arguments"]["budgetSeconds"];
  }
  return 0;
}

TEST(Search, TakesNothingThatTheRegionsNeed) {
  EXPECT_NEAR(firstShare(2), 40 * 0.45 / 2, 0.01) << "30 % for the whole, 5 for rounds, 20 for trials";
  EXPECT_NEAR(firstShare(20), 40 * 0.65 / 20, 0.01) << "nothing for trials";
}

double chosenBudget(std::size_t candidates, double given) {
  Setting s(manyCandidates(candidates));
  s.options.budgetSeconds = given;
  return s.analyze().settings->budgetSeconds;
}

TEST(Budget, GrowsWithTheProposalsWhereNoneIsGiven) {
  EXPECT_EQ(chosenBudget(2, 0), 60);
  EXPECT_EQ(chosenBudget(12, 0), 60);
  EXPECT_EQ(chosenBudget(16, 0), 72);
  EXPECT_EQ(chosenBudget(40, 0), 120);
  EXPECT_EQ(chosenBudget(16, 40), 40) << "what the user says, counts";
}

TEST(Budget, IsSpentFirstOnWhatStandsAtMostPlaces) {
  Json scenario = manyCandidates(2);
  scenario["findings"].push_back({{"id", "F3"}});
  scenario["candidates"][1]["findings"] = {"F2", "F3"};
  Setting s(scenario);
  Ids measured;
  for (auto& v : s.analyze().verdicts)
    if (v.candidate[0] == 'C') measured.push_back(v.candidate);
  EXPECT_EQ(measured, (Ids{"C2", "C1"}));
}

TEST(Search, IsNotForAllThatIsEqual) {
  Setting s(oneFasterOneSame({{"C1 against C1 C2", kFaster}}));
  s.options.keep = Keep::Equal;
  EXPECT_EQ(applied(s.analyze()), (Ids{"C1", "C2"}));
}

TEST(Search, AnEngineThatDiesInATrialCostsTheTrial) {
  Json dies = fault("measure", "compare", "sigkill");
  dies["candidate"] = "set";
  Setting s(with(oneFasterOneSame({{"C1 against C1 C2", kFaster}}), "faults", Json::array({dies})));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_TRUE(r.errors.empty());
  EXPECT_TRUE(r.output->written);
  EXPECT_NE(r.search[1].decision.find("was killed by SIGKILL"), std::string::npos) << r.search[1].decision;
}

TEST(Search, AGraphEngineThatDiesInATrialIsStartedAgainToWrite) {
  Setting s(with(oneFasterOneSame(), "faults",
                 {fault("graph", "compose", "slow"), fault("graph", "compose", "sigkill")}));
  Report r = s.optimize();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_TRUE(r.errors.empty());
  EXPECT_TRUE(r.output->written);
}

TEST(Search, AMeasureEngineThatCannotComeBackLeavesWhatWasProven) {
  Json dies = fault("measure", "compare", "sigkill");
  dies["candidate"] = "set";
  Setting s(with(oneFasterOneSame(), "faults",
                 {dies, fault("measure", "open", "slow", 3), fault("measure", "open", "exit3", 9)}));
  Report r = s.analyze();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
}

TEST(Search, InterruptedItEndsWithWhatWasProven) {
  Setting s(oneFasterOneSame({{"C1 against C1 C2", kFaster}}));
  bool stop = false;
  s.options.progress = [&](const Progress& p) { stop = stop || p.phase.rfind("trying", 0) == 0; };
  s.options.interrupted = [&] { return stop; };
  Report r = s.optimize();
  EXPECT_EQ(applied(r), (Ids{"C1", "C2"}));
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.output->written) << "the user asked for the file, and it is proven";
  EXPECT_EQ(r.search.back().decision, "not tried: the run was interrupted, and the first set stands");
}

TEST(Search, TheSameFiguresGiveTheSameSteps) {
  auto steps = [] {
    Setting s(oneFasterOneSame({{"C1 against C1 C2", kFaster}}));
    return Json(s.analyze().search);
  };
  EXPECT_EQ(steps(), steps());
}

// Sixteen candidates of a rule, for which the budget has less than a second each.
Setting manyOfOneRule(const Json& verdicts = Json::object()) {
  Json findings = Json::array(), candidates = Json::array();
  for (int i = 1; i <= 16; ++i) {
    std::string n = std::to_string(i);
    findings.push_back({{"id", "F" + n}});
    candidates.push_back({{"id", "C" + n}, {"findings", {"F" + n}}});
  }
  Setting s({{"findings", findings}, {"candidates", candidates}, {"verdicts", verdicts}});
  s.options.budgetSeconds = 30;
  return s;
}

TEST(Search, WhereTheBudgetIsShortThoseThatWereTimedSpeakForTheOthers) {
  Report r = manyOfOneRule().analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Faster);
  for (auto* id : {"C2", "C3"}) {  // with few left there is time for each again
    EXPECT_EQ(verdictOf(r, id)->outcome, Outcome::NotRun) << id;
    EXPECT_EQ(verdictOf(r, id)->reason.rfind("not timed: the budget does not do for all", 0), 0u) << id;
  }
  EXPECT_EQ(applied(r).size(), 16u);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
}

TEST(Search, OneThatIsSlowerLetsNoneSpeakForAnother) {
  Report r = manyOfOneRule({{"C1", kSlower}}).analyze();
  EXPECT_EQ(verdictOf(r, "C16")->outcome, Outcome::Faster);
  EXPECT_EQ(applied(r).size(), 15u);
}

}  // namespace
}  // namespace kadvise
