// What two measurements of one claim make together, and how long a comparison may take.
#include "analyzer/comparison.h"

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
