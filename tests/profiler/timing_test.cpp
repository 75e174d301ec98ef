#include "profiler/timing.h"
#include "profiler/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(c.before.wallUs.size(), 2u * static_cast<unsigned>(c.units));
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

TEST(Timing, OvertimeDoesForAJudgementAndNoMore) {
  auto timed = [](double overtimeSeconds, double us = 30000) {
    Machine m;
    TimingPlan plan = m.plan();
    plan.budgetSeconds = 1, plan.overtimeSeconds = overtimeSeconds;
    Comparison c = compare(m, us, us / 1.2, plan);
    return std::pair(c.outcome, m.nowUs / 1e6);
  };
  EXPECT_EQ(timed(0).first, Outcome::Ambiguous);
  auto [outcome, seconds] = timed(8);
  EXPECT_EQ(outcome, Outcome::Faster);
  EXPECT_LT(seconds, 3);
  auto tooLittle = timed(0.8, 60000);
  EXPECT_EQ(tooLittle.first, Outcome::Ambiguous);
  EXPECT_EQ(tooLittle.second, timed(0, 60000).second) << "spent on units that are too few all the same";
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
  EXPECT_EQ(c.reason.find("itself;"), std::string::npos) << "nothing is concluded from the control either";
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

// Where every block stalls, none looks slower than the next: the time spent waiting shows it.
TEST(Timing, AComparisonInWhichAllCallsStallSettlesNothing) {
  Machine m;
  TimingPlan plan = m.plan();
  plan.waitedUs = [&] { return 0.5 * m.nowUs; };
  Comparison c = compare(m, 9000, 30, plan);
  EXPECT_EQ(c.outcome, Outcome::Ambiguous);
  EXPECT_TRUE(c.before.throttled && c.after.throttled);
  EXPECT_NE(c.reason.find("waited over a quarter of the time"), std::string::npos) << c.reason;
  plan.waitedUs = [&] { return 0.01 * m.nowUs; };
  EXPECT_EQ(compare(m, 400, 200, plan).outcome, Outcome::Faster);
}

TEST(Timing, WaitingNeverRunsBackwards) {
  double before = waitedUs();
  EXPECT_GE(before, 0);
  EXPECT_GE(waitedUs(), before);
}

// In every unit one of before and control is slower, so that all units agree on a gain of 18 % and only the
// control shows that they say nothing.
TEST(Timing, AControlThatIsNotTheSameForbidsAClaim) {
  Machine m;
  TimingPlan plan = m.plan();
  int blocks = 0;
  bool wasBefore = false;
  TimedRun before{[&] {
                    m.nowUs += blocks % 4 == 1 || blocks % 4 == 2 ? 390 : 300;
                    wasBefore = true;
                  },
                  [] {}};
  TimedRun after{[&] { m.nowUs += 290, wasBefore = false; }, [] {}};
  plan.reading = [&] {
    blocks += wasBefore;
    wasBefore = false;
    return ClockReading{};
  };
  Pulse silent;
  Comparison c = compareTimes(before, after, plan, silent);
  EXPECT_GT(c.speedup.low, 1.15);
  EXPECT_GT(noiseOf(c.control), 0.2);
  EXPECT_EQ(c.outcome, Outcome::Ambiguous) << c.reason;
}

TEST(Timing, SamplesAreBounded) {
  Machine m;
  m.jitter = 0.5;
  TimingPlan plan = m.plan();
  plan.mostUnits = 1000;
  EXPECT_EQ(compare(m, 300, 300, plan).before.wallUs.size(), 200u);
}

TEST(Timing, EndsWhenTheIntervalsAreNarrow) {
  Machine m;
  Comparison quiet = compare(m, 300, 300, m.plan());
  EXPECT_LE(halfWidthOf(quiet.speedup), 0.005);
  EXPECT_LT(quiet.units, 60);
  m.jitter = 0.5;
  TimingPlan plan = m.plan();
  plan.mostUnits = 50;
  EXPECT_EQ(compare(m, 300, 300, plan).units, 50);
}

TEST(Timing, BlocksShrinkToABudgetThatHoldsFewLongOnes) {
  Machine m;
  TimingPlan plan = m.plan();
  plan.budgetSeconds = 0.2;
  plan.blockUs = 100000;
  Comparison c = compare(m, 300, 300, plan);
  EXPECT_GE(c.units, 5);
  EXPECT_LT(m.nowUs, 1.5e6);
}

// The GPU's own clock, not the time, says which unit is measured again.
TEST(Timing, AUnitAtAnotherClockIsMeasuredAgain) {
  Machine m;
  TimingPlan plan = m.plan();
  int reads = 0;
  plan.reading = [&] {
    ++reads;
    return ClockReading{reads % 60 == 0 ? 1500.0 : 1980.0, reads % 100 == 0};
  };
  Comparison c = compare(m, 300, 300, plan);
  EXPECT_EQ(c.outcome, Outcome::Same);
  EXPECT_GT(c.repeated, 0);
  EXPECT_EQ(c.units + c.repeated, reads / 6);
  EXPECT_NE(c.reason.find("repeated"), std::string::npos) << c.reason;
}

TEST(Timing, AClockThatNeverRestsDropsNothing) {
  Machine m;
  TimingPlan plan = m.plan();
  int reads = 0;
  plan.reading = [&] { return ClockReading{++reads % 2 ? 1500.0 : 1980.0}; };
  EXPECT_EQ(compare(m, 300, 300, plan).repeated, 0);
}

// As under a limit on power: one side draws more and is slower for it, steadily.
TEST(Disturbance, EachSideHasItsOwnClock) {
  std::vector<UnitReadings> units(10);
  for (auto& u : units) u = {{{{1980}, {1980}}}, {{{1500}, {1500}}}, {{{1980}, {1980}}}};
  units[3].after[1].mhz = 1900;
  std::vector<bool> disturbed = disturbedUnits(units);
  EXPECT_EQ(std::count(disturbed.begin(), disturbed.end(), true), 1);
  EXPECT_TRUE(disturbed[3]);
}

TEST(Disturbance, WithoutReadingsThereIsNone) {
  std::vector<bool> disturbed = disturbedUnits(std::vector<UnitReadings>(4));
  EXPECT_EQ(std::count(disturbed.begin(), disturbed.end(), true), 0);
}

TEST(WarmUp, WaitsForTheFirstSlowRuns) {
  Machine m;
  int runs = 0;
  TimedRun warming{[&] { m.nowUs += ++runs <= 4 ? 40000.0 / runs : 300; }, [] {}};
  WarmUp w = warmUp(warming, 1, {}, [&] { return m.nowUs; });
  EXPECT_TRUE(w.settled);
  EXPECT_NEAR(w.runUs, 300, 1);
  EXPECT_EQ(w.runs, runs);
  EXPECT_NEAR(w.compileMs, 40 + 20 + 13.33 + 10 - 4 * 0.3, 0.1);
}

TEST(WarmUp, WaitsForTheAllocatorAndForTheClock) {
  Machine m;
  int runs = 0;
  auto once = [&] { ++runs, m.nowUs += 5000; };
  auto until = [&](int run) { return static_cast<double>(std::min(run, runs)); };
  ClockUs now = [&] { return m.nowUs; };
  warmUp({once, [] {}}, 1, {[&] { return static_cast<std::int64_t>(until(20)); }, nullptr}, now);
  EXPECT_EQ(runs, 23);
  runs = 0;
  warmUp({once, [] {}}, 1, {nullptr, [&] { return 1000 + 100 * until(15); }}, now);
  EXPECT_EQ(runs, 18);
}

TEST(WarmUp, EndsWithTheBudgetAndSaysSo) {
  Machine m;
  TimedRun improving{[&] { m.nowUs += 1e6 * std::pow(0.9, m.nowUs / 1e6); }, [] {}};
  WarmUp w = warmUp(improving, 0.5, {}, [&] { return m.nowUs; });
  EXPECT_FALSE(w.settled);
  EXPECT_EQ(w.runs, 2);
}

}  // namespace
}  // namespace kadvise
