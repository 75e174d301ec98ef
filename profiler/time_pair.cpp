#include "profiler/time_pair.h"

#include <c10/core/InferenceMode.h>

#include <cmath>
#include <cstdio>

#include "profiler/measure.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

// Long enough that starting and ending a block, some 10 microseconds, does not count.
constexpr double kBlockUsOnCuda = 4000, kBlockUsOnCpu = 10000;
constexpr double kMostPlausible = 20;  // times as fast, on a CPU

void join(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

std::string speedupText(const Interval& s) {
  char text[80];
  std::snprintf(text, sizeof text, "%.3fx (%.3f to %.3f)", s.mid, s.low, s.high);
  return text;
}

void addCounters(Measurement& m, const WarmUp& warm) {
  m.counters["warmUpRuns"] = warm.runs;
  m.counters["warmUpBeyondSteadyMs"] = warm.compileMs;
}

void addControl(Measurement& m, const Comparison& c) {
  m.counters["timedUnits"] = c.units;
  m.counters["repeatedUnits"] = c.repeated;
  if (!std::isfinite(c.control.low) || !std::isfinite(c.control.high)) return;
  m.counters["controlLow"] = c.control.low;
  m.counters["controlHigh"] = c.control.high;
}

// Right after the last block, so of the GPU at work.
std::string addCondition(Measurement& m, const Device& device, const Nvml* nvml) {
  if (!device.isCuda() || !nvml) return "";
  if (!nvml->refused().empty()) return "the GPU's clock was not watched: " + nvml->refused();
  GpuCondition now = nvml->condition();
  m.counters["smClockMHz"] = now.clock.mhz;
  m.counters["powerW"] = now.powerW;
  m.counters["temperatureC"] = now.temperatureC;
  return now.heldBackBy.empty() ? "" : "the GPU's clock is held back by " + now.heldBackBy;
}

}  // namespace

TimingPlan timingPlan(const Device& device, const PairPlan& pair) {
  TimingPlan plan;
  plan.budgetSeconds = pair.budgetSeconds;
  plan.blockUs = device.isCuda() ? kBlockUsOnCuda : kBlockUsOnCpu;
  plan.candidates = pair.candidates;
  plan.seed = pair.seed;
  if (!device.isCuda()) return plan;
  plan.signs.segments = [&device] { return allocatedSegments(device); };
  if (!pair.nvml || !pair.nvml->refused().empty()) return plan;
  plan.signs.clockMHz = [&pair] { return pair.nvml->clock().mhz; };
  plan.reading = [&pair] { return pair.nvml->clock(); };
  return plan;
}

void timePair(Verdict& v, torch::jit::Module& before, torch::jit::Module& after, const Values& batch,
              const Device& device, const PairPlan& pair, Pulse& pulse) {
  c10::InferenceMode inference;
  Values beforeBatch = cloneOf(batch), afterBatch = cloneOf(batch);
  TimedRun beforeRun = timedRun(before, beforeBatch, device), afterRun = timedRun(after, afterBatch, device);
  Comparison c = compareTimes(beforeRun, afterRun, timingPlan(device, pair), pulse);
  std::string condition = addCondition(v.before, device, pair.nvml);
  v.outcome = c.outcome;
  v.speedup = c.speedup;
  if (!device.isCuda() && c.outcome == Outcome::Faster && c.speedup.mid > kMostPlausible) {
    v.outcome = Outcome::Ambiguous;
    c.reason += "; more than a replacement gains on a CPU: a fault of the measurement is likelier";
  }
  addControl(v.before, c);
  addCounters(v.before, c.beforeWarmUp);
  addCounters(v.after, c.afterWarmUp);
  v.before.timings.push_back(c.before);
  v.after.timings.push_back(c.after);
  join(v.reason, (std::isfinite(c.speedup.mid) ? speedupText(c.speedup) + " in " : "") + c.reason);
  join(v.reason, condition);
  v.before.peakBytes = peakBytesOf(device, beforeRun.once);
  v.after.peakBytes = peakBytesOf(device, afterRun.once);
}

}  // namespace kadvise
