#include "profiler/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

namespace kadvise {
namespace {

// Fewer units than this cannot carry an interval of 95%.
constexpr int kFewestUnits = 6;
constexpr std::size_t kMostSamples = 200;

// A side whose typical block takes this many times its fastest was not running alone: with two threads on two busy
// cores every barrier waits for the scheduler, on one side of a comparison and not on the other, and the control, which
// suffers as much on both of its sides, does not show it.
constexpr double kBusyFactor = 3;

double blockUsPerRun(const TimedRun& run, int repetitions, const ClockUs& nowUs) {
  run.synchronize();
  double start = nowUs();
  for (int i = 0; i < repetitions; ++i) run.once();
  run.synchronize();
  return (nowUs() - start) / repetitions;
}

int repetitionsFor(double blockUs, double runUs) {
  return static_cast<int>(std::clamp(std::ceil(blockUs / std::max(runUs, 0.01)), 1.0, 100000.0));
}

struct Side {
  const TimedRun& run;
  int repetitions;
  const ClockUs& nowUs;
  double block() const { return blockUsPerRun(run, repetitions, nowUs); }
};

// ABBA or BAAB, so that neither side always goes first.
Unit measureUnit(const Side& a, const Side& b, bool afterFirst) {
  const Side &outer = afterFirst ? b : a, &inner = afterFirst ? a : b;
  std::array<double, 2> outerUs{}, innerUs{};
  outerUs[0] = outer.block();
  innerUs[0] = inner.block();
  innerUs[1] = inner.block();
  outerUs[1] = outer.block();
  return afterFirst ? Unit{innerUs, outerUs} : Unit{outerUs, innerUs};
}

Timing timingOf(const std::vector<Unit>& units, std::array<double, 2> Unit::* side) {
  Timing t;
  t.regime = "warm";
  for (const Unit& u : units)
    for (double us : u.*side)
      if (t.wallUs.size() < kMostSamples) t.wallUs.push_back(us);
  return t;
}

std::string figures(const Comparison& c, std::size_t units) {
  char text[160];
  std::snprintf(text, sizeof text, "%zu ABBA units, before against itself %.3f to %.3f", units, c.control.low,
                c.control.high);
  return text;
}

bool wasDisturbed(const Timing& side) {
  if (side.wallUs.empty()) return false;
  double fastest = *std::min_element(side.wallUs.begin(), side.wallUs.end());
  return median(side.wallUs) > kBusyFactor * fastest;
}

}  // namespace

double steadyUs() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double settle(const TimedRun& run, double budgetSeconds, int fewestRuns, const ClockUs& nowUs) {
  double endUs = nowUs() + 1e6 * budgetSeconds;
  double fastestUs = blockUsPerRun(run, 1, nowUs), lastUs = fastestUs;
  for (int runs = 1; runs < 12; ++runs) {
    lastUs = blockUsPerRun(run, 1, nowUs);
    bool stopped = lastUs > 0.9 * fastestUs;
    fastestUs = std::min(fastestUs, lastUs);
    if (runs + 1 >= fewestRuns && (stopped || nowUs() > endUs)) break;
  }
  return lastUs;
}

Comparison compareTimes(const TimedRun& before, const TimedRun& after, const TimingPlan& plan, Pulse& pulse) {
  double endUs = plan.nowUs() + 1e6 * plan.budgetSeconds;
  double settleSeconds = plan.budgetSeconds / 8;
  double beforeUs = settle(before, settleSeconds, 2, plan.nowUs);
  double afterUs = settle(after, settleSeconds, 2, plan.nowUs);
  Side a{before, repetitionsFor(plan.blockUs, beforeUs), plan.nowUs};
  Side b{after, repetitionsFor(plan.blockUs, afterUs), plan.nowUs};

  // A unit holds six blocks of before (two, and four of the control) and two of after. The number of units is
  // fixed before the first is seen: stopping when the result looks good would make good results of noise.
  double unitUs = 6 * beforeUs * a.repetitions + 2 * afterUs * b.repetitions;
  double fitting = (endUs - plan.nowUs()) / std::max(unitUs, 1e-3);
  int wanted = static_cast<int>(
      std::clamp(fitting, double(kFewestUnits), double(std::max(plan.mostUnits, kFewestUnits))));

  std::mt19937_64 random(plan.seed);
  std::vector<Unit> units, controls;
  for (int i = 0; i < wanted && (i == 0 || plan.nowUs() < endUs); ++i) {
    bool afterFirst = random() & 1, controlFirst = random() & 1;
    if (controlFirst) controls.push_back(measureUnit(a, a, afterFirst));
    units.push_back(measureUnit(a, b, afterFirst));
    if (!controlFirst) controls.push_back(measureUnit(a, a, afterFirst));
    pulse.beat("timing", i + 1, wanted);
  }

  Comparison c;
  c.speedup = speedupOf(units, plan.seed);
  c.control = speedupOf(controls, plan.seed);
  c.before = timingOf(units, &Unit::beforeUs);
  c.after = timingOf(units, &Unit::afterUs);
  c.reason = figures(c, units.size());
  c.outcome = judgeSpeedup(c.speedup, noiseOf(c.control));
  if (static_cast<int>(units.size()) < kFewestUnits) {
    c.outcome = Outcome::Ambiguous;
    // No figure at all: one unit's interval would look like certainty.
    c.speedup = {std::nan(""), std::nan(""), std::nan("")};
    c.reason += "; too few within the budget to judge";
  }
  if (wasDisturbed(c.before) || wasDisturbed(c.after)) {
    c.outcome = Outcome::Ambiguous;
    c.before.throttled = c.after.throttled = true;
    c.reason += "; the machine was busy with other work (a typical block took over 3 times the fastest)";
  }
  return c;
}

}  // namespace kadvise
