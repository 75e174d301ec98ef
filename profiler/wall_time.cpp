#include "profiler/wall_time.h"

#include <algorithm>
#include <cmath>

namespace kadvise {
namespace {

constexpr int kMostWarmUps = 12, kFewestWarmUps = 4;
constexpr int kBlocks = 40, kFewestBlocks = 3;

double usOfOne(const TimedRun& run) {
  double start = steadyUs();
  run.once();
  run.synchronize();
  return steadyUs() - start;
}

}  // namespace

double FirstCalls::compileMs() const {
  double beyond = std::max(0.0, firstCallMs - settledUs / 1000);
  for (double ms : laterMs) beyond += std::max(0.0, ms - settledUs / 1000);
  return beyond;
}

FirstCalls firstCalls(const TimedRun& run, double budgetSeconds) {
  FirstCalls out;
  double endUs = steadyUs() + 1e6 * budgetSeconds;
  double fastestUs = usOfOne(run);
  out.firstCallMs = fastestUs / 1000;
  out.settledUs = fastestUs;
  for (int runs = 1; runs < kMostWarmUps; ++runs) {
    double us = usOfOne(run);
    out.laterMs.push_back(us / 1000);
    bool stopped = us > 0.9 * fastestUs;
    fastestUs = std::min(fastestUs, us);
    out.settledUs = us;
    if (runs + 1 >= kFewestWarmUps && (stopped || steadyUs() > endUs)) break;
  }
  return out;
}

WallTime wallTimeOf(const TimedRun& run, double callUs, double blockUs, double budgetSeconds, Pulse& pulse) {
  WallTime out;
  out.callsPerBlock =
      static_cast<int>(std::clamp(std::ceil(blockUs / std::max(callUs, 0.01)), 1.0, 100000.0));
  out.timing.regime = "warm";
  double endUs = steadyUs() + 1e6 * budgetSeconds;
  for (int i = 0; i < kBlocks && (i < kFewestBlocks || steadyUs() < endUs); ++i) {
    run.synchronize();
    double start = steadyUs();
    for (int k = 0; k < out.callsPerBlock; ++k) run.once();
    run.synchronize();
    out.timing.wallUs.push_back((steadyUs() - start) / out.callsPerBlock);
    pulse.beat("timing", i + 1, kBlocks);
  }
  out.us = bootstrapMedian(out.timing.wallUs);
  return out;
}

}  // namespace kadvise
