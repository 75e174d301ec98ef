#include "profiler/timing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kadvise {
namespace {

// A machine whose clock moves only by what runs on it, with the jitter and the drift that a test asks for.
struct Machine {
  double nowUs = 0, jitter = 0.01, drift = 0;  // drift: growth of every run's time per second
  std::mt19937_64 random{5};

  TimedRun running(double us) {
    return {[this, us] {
              double noise = 1 + jitter * (double(random() % 2001) / 1000 - 1);
              nowUs += us * noise * (1 + drift * nowUs / 1e6);
            },
            [] {}};
  }
  TimingPlan plan() {
    TimingPlan p;
    p.budgetSeconds = 5;
    p.blockUs = 1000;
    p.nowUs = [this] { return nowUs; };
    return p;
  }
};

Comparison compare(Machine& m, double beforeUs, double afterUs, TimingPlan plan) {
  Pulse silent;
  return compareTimes(m.running(beforeUs), m.running(afterUs), plan, silent);
}

TEST(Timing, TellsTwiceAsFastFromTwiceAsSlow) {
  Machine m;
  Comparison c = compare(m, 400, 200, m.plan());
  EXPECT_EQ(c.outcome, Outcome::Faster) << c.reason;
  EXPECT_NEAR(c.speedup.mid, 2, 0.02);
  EXPECT_EQ(c.before.regime, "warm");
  EXPECT_EQ(c.before.wallUs.size(), 80u);
  EXPECT_NEAR(c.after.wallUs.front(), 200, 5);
  EXPECT_EQ(compare(m, 200, 400, m.plan()).outcome, Outcome::Slower);
}

TEST(Timing, EqualWorkIsTheSame) {
  Machine m;
  EXPECT_EQ(compare(m, 300, 300, m.plan()).outcome, Outcome::Same);
  EXPECT_EQ(compare(m, 300, 296, m.plan()).outcome, Outcome::Same);
}

TEST(Timing, ADriftingClockFavoursNobody) {
  Machine m;
  m.drift = 0.5;  // half as slow again after a second
  EXPECT_EQ(compare(m, 300, 300, m.plan()).outcome, Outcome::Same);
}

TEST(Timing, NoiseIsNotAGain) {
  Machine m;
  m.jitter = 0.9;
  TimingPlan plan = m.plan();
  plan.blockUs = 1;  // one run a block: nothing averages the noise away
  Outcome outcome = compare(m, 300, 290, plan).outcome;
  EXPECT_EQ(outcome, Outcome::Ambiguous);
}

TEST(Timing, ABudgetTooSmallIsAmbiguousAndGivesNoFigure) {
  Machine m;
  TimingPlan plan = m.plan();
  plan.budgetSeconds = 0.02;
  Comparison c = compare(m, 5000, 2000, plan);
  EXPECT_LT(m.nowUs, 0.1e6);
  EXPECT_EQ(c.outcome, Outcome::Ambiguous);
  EXPECT_TRUE(std::isnan(c.speedup.mid)) << "one unit's interval would look like certainty";
  EXPECT_NE(c.reason.find("budget"), std::string::npos);
}

// Barriers that wait for the scheduler: most blocks of one side take many times its fastest.
TEST(Timing, ABusyMachineSettlesNothing) {
  Machine m;
  TimingPlan plan = m.plan();
  int calls = 0;
  TimedRun before{[&] { m.nowUs += ++calls % 8 ? 9000 : 300; }, [] {}}, after{[&] { m.nowUs += 30; }, [] {}};
  plan.nowUs = [&] { return m.nowUs; };
  plan.blockUs = 1;
  Pulse silent;
  Comparison c = compareTimes(before, after, plan, silent);
  EXPECT_EQ(c.outcome, Outcome::Ambiguous);
  EXPECT_NE(c.reason.find("busy"), std::string::npos) << c.reason;
}

TEST(Timing, SamplesAreBounded) {
  Machine m;
  TimingPlan plan = m.plan();
  plan.mostUnits = 1000;
  EXPECT_EQ(compare(m, 300, 300, plan).before.wallUs.size(), 200u);
}

TEST(Settle, WaitsForTheFirstSlowRuns) {
  Machine m;
  int runs = 0;
  TimedRun warming{[&] { m.nowUs += ++runs <= 4 ? 4000.0 / runs : 300; }, [] {}};
  EXPECT_EQ(settle(warming, 1, 4, [&] { return m.nowUs; }), 300);
  EXPECT_GE(runs, 5);
}

TEST(Settle, EndsWithTheBudget) {
  Machine m;
  TimedRun growing{[&] { m.nowUs += 1e6; }, [] {}};
  settle(growing, 0.5, 2, [&] { return m.nowUs; });
  EXPECT_EQ(m.nowUs, 2e6);
}

}  // namespace
}  // namespace kadvise
