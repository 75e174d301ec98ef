#include "profiler/timing.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kadvise {
namespace {

using Clock = std::chrono::steady_clock;

void spin(double us) {
  auto end = Clock::now() + std::chrono::duration<double, std::micro>(us);
  while (Clock::now() < end) {
  }
}

TimedRun spinning(double us) {
  return {[us] { spin(us); }, [] {}};
}

TEST(Timing, TellsTwiceAsFast) {
  Pulse silent;
  TimingPlan plan{.budgetSeconds = 5, .blockUs = 1000, .mostUnits = 12};
  Comparison c = compareTimes(spinning(400), spinning(200), plan, silent);
  EXPECT_EQ(c.outcome, Outcome::Faster) << c.reason << " " << c.speedup.low;
  EXPECT_NEAR(c.speedup.mid, 2, 0.3);
  EXPECT_EQ(c.before.regime, "warm");
  EXPECT_EQ(c.before.wallUs.size(), 24u);
  EXPECT_LE(c.control.low, c.control.high);
}

TEST(Timing, TellsTwiceAsSlow) {
  Pulse silent;
  TimingPlan plan{.budgetSeconds = 5, .blockUs = 1000, .mostUnits = 12};
  EXPECT_EQ(compareTimes(spinning(200), spinning(400), plan, silent).outcome, Outcome::Slower);
}

TEST(Timing, EqualWorkIsNeverFasterOrSlower) {
  Pulse silent;
  TimingPlan plan{.budgetSeconds = 5, .blockUs = 1000, .mostUnits = 12};
  Outcome outcome = compareTimes(spinning(300), spinning(300), plan, silent).outcome;
  EXPECT_TRUE(outcome == Outcome::Same || outcome == Outcome::Ambiguous);
}

TEST(Timing, ABudgetTooSmallIsAmbiguousAndStillGivesAFigure) {
  Pulse silent;
  TimingPlan plan{.budgetSeconds = 0.02, .blockUs = 1000, .mostUnits = 40};
  auto start = Clock::now();
  Comparison c = compareTimes(spinning(5000), spinning(2000), plan, silent);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(2));
  EXPECT_EQ(c.outcome, Outcome::Ambiguous);
  EXPECT_GT(c.speedup.mid, 1);
  EXPECT_NE(c.reason.find("budget"), std::string::npos);
}

TEST(Settle, WaitsForTheFirstSlowRuns) {
  int runs = 0;
  TimedRun warming{[&] { spin(++runs <= 4 ? 4000.0 / runs : 300); }, [] {}};
  EXPECT_LT(settle(warming, 1), 900);
  EXPECT_GE(runs, 5);
}

}  // namespace
}  // namespace kadvise
