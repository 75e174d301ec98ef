// What two measurements of one claim make together, and how long a comparison may take.
#include "analyzer/comparison.h"

#include "analyzer/case_error_log.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kadvise {
namespace {

Verdict verdict(Outcome outcome, double speedup) {
  Verdict v;
  v.outcome = outcome;
  v.speedup = {speedup - 0.1, speedup, speedup + 0.1};
  v.accuracy.grade = "bitwise";
  v.before.firstCallMs = 1;
  return v;
}

bool says(const Verdict& v, const std::string& words) { return v.reason.find(words) != std::string::npos; }

TEST(Confirmed, TheSmallerFigureStandsAndTheFreshProcessKnowsTheFirstCall) {
  Verdict fresh = verdict(Outcome::Faster, 1.3);
  fresh.before.firstCallMs = 200;
  fresh.before.counters["compileMs"] = 150;
  Verdict v = confirmed(verdict(Outcome::Faster, 1.5), fresh);
  EXPECT_EQ(v.outcome, Outcome::Faster);
  EXPECT_EQ(v.speedup.mid, 1.3);
  EXPECT_EQ(v.before.firstCallMs, 200);
  EXPECT_EQ(v.before.counters["compileMs"], 150);
  EXPECT_EQ(confirmed(verdict(Outcome::Faster, 1.2), fresh).speedup.mid, 1.2);
}

TEST(Confirmed, AnythingElseThanFasterIsNoConfirmation) {
  for (Outcome second : {Outcome::Same, Outcome::Slower, Outcome::Ambiguous}) {
    Verdict v = confirmed(verdict(Outcome::Faster, 1.5), verdict(second, 1.01));
    EXPECT_EQ(v.outcome, Outcome::Ambiguous);
    EXPECT_TRUE(says(v, "1.500x (1.400 to 1.600) was not confirmed")) << v.reason;
    EXPECT_TRUE(says(v, "1.010x")) << v.reason;
  }
  Verdict died = verdict(Outcome::Failed, std::nan(""));
  died.reason = "it was killed";
  EXPECT_EQ(confirmed(verdict(Outcome::Faster, 1.5), died).outcome, Outcome::Ambiguous);
  EXPECT_TRUE(says(confirmed(verdict(Outcome::Faster, 1.5), died), "it was killed"));
}

TEST(Confirmed, OutputsThatDifferThenAreTheVerdict) {
  Verdict wrong = verdict(Outcome::WrongOutput, std::nan(""));
  EXPECT_EQ(confirmed(verdict(Outcome::Faster, 1.5), wrong).outcome, Outcome::WrongOutput);
}

CaseErrors caseNamed(const std::string& name, double maxUlp) {
  CaseErrors c;
  c.name = name, c.output = "output 0", c.grade = "within-bound", c.rmsUlp = maxUlp / 4, c.maxUlp = maxUlp;
  c.rmsBound = 2, c.p999Bound = 4, c.maxBound = 8, c.ofBound = maxUlp / 8;
  return c;
}

Verdict worstIn(const std::string& candidate, const CaseErrors& c) {
  Verdict v;
  v.candidate = candidate, v.outcome = Outcome::Faster;
  v.accuracy.grade = c.grade, v.accuracy.worstCase = c.name;
  v.accuracy.rmsUlp = c.rmsUlp, v.accuracy.maxUlp = c.maxUlp;
  return v;
}

TEST(CaseErrorLog, EachVerdictGetsTheCasesOfItsOwnComparison) {
  CaseErrorLog log;
  log.add("C1", {caseNamed("large", 3), caseNamed("inputs", 1)});
  log.add("whole", {caseNamed("large", 7)});   // a set that was tried, and given up
  log.add("whole", {caseNamed("inputs", 5)});  // the one that stands, for a while
  log.add("cuda-graph", {caseNamed("tiny", 2)});
  log.add("set", {caseNamed("large", 1)});
  Report r;
  r.verdicts = {worstIn("C1", caseNamed("large", 3)), worstIn("without-graphs", caseNamed("inputs", 5)),
                worstIn("C2", caseNamed("large", 3))};
  r.whole = worstIn("whole", caseNamed("tiny", 2));
  log.tell(r);
  ASSERT_EQ(r.caseErrors.size(), 3u);
  EXPECT_EQ(r.caseErrors.at("C1").size(), 2u);
  EXPECT_EQ(r.caseErrors.at("without-graphs").at(0).maxUlp, 5);
  EXPECT_EQ(r.caseErrors.at("whole").at(0).name, "tiny");
}

TEST(CaseErrorLog, AVerdictWithoutErrorsGetsCasesWithoutErrors) {
  CaseErrors equal;
  equal.name = "inputs", equal.grade = "bitwise";
  CaseErrorLog log;
  log.add("whole", {caseNamed("large", 7)});
  log.add("whole", {equal});
  Report r;
  r.whole.candidate = "whole", r.whole.outcome = Outcome::Faster, r.whole.accuracy.grade = "bitwise";
  log.tell(r);
  EXPECT_EQ(r.caseErrors.at("whole").at(0).grade, "bitwise");
}

TEST(Limits, AStepMayTakeManyTimesWhatTheOriginalDid) {
  EXPECT_EQ(patienceWith(0.5, 20), 90);
  EXPECT_EQ(patienceWith(60, 20), 1280) << "a compilation of a minute is no hang";
}

TEST(Limits, AHangWaitsForItsOwnBudgetManyTimesOverAndNoLonger) {
  EXPECT_EQ(limitsOfComparing({600, 7}, 2).seconds, 130);
  EXPECT_EQ(limitsOfComparing({600, 7}, 2).residentBytes, 7u);
  EXPECT_EQ(limitsOfComparing({600, 7}, 1000).seconds, 600);
  EXPECT_EQ(limitsOfComparing({0, 7}, 2).seconds, 130) << "0 is no limit";
}

}  // namespace
}  // namespace kadvise
