#include "profiler/time_pair.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/core/error.h"
#include "analyzer/core/hardware.h"
#include "analyzer/core/most_gain.h"
#include "profiler/equivalence.h"
#include "profiler/forked.h"
#include "profiler/measure.h"
#include "profiler/regimes.h"
#include "profiler/roofline.h"
#include "profiler/values.h"
#include "profiler/waiting.h"

namespace kadvise {
namespace {

// Long enough that starting and ending a block, some 10 microseconds, does not count.
constexpr double kBlockUsOnCuda = 4000, kBlockUsOnCpu = 10000;
constexpr double kBriefBlockUs = 1500;
constexpr double kRegimeSeconds = 1, kRegimeShare = 0.2;  // of the budget, at most
constexpr double kRegimeShareOfBrief = 0.5;

void join(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

std::string speedupText(const Interval& s) {
  char text[80];
  std::snprintf(text, sizeof text, "%.3fx (%.3f to %.3f)", s.mid, s.low, s.high);
  return text;
}

// compileMs: all that was beyond as many settled runs until the last one that brought something new.
void addWarmUp(Measurement& m, const WarmUp& warm, int firstRuns, double firstMs) {
  m.counters["warmUpRuns"] = firstRuns + warm.runs;
  m.counters["warmUpSettled"] = warm.settled;
  m.counters["compileMs"] = warm.compileMs + std::max(0.0, firstMs - firstRuns * warm.runUs / 1000);
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

// Applied to the after side, whose figure is the claim.
void doubtBeyondRoofline(Verdict& v, torch::jit::Module& after, const Values& batch, const Device& device,
                         const Attributes& state) {
  const Gpu* gpu = gpuOfDevice(device.name, device.arch);
  if (!gpu) return;
  const WithState own(after, state);
  LeastWork work = leastWorkOf([&] { return forward(after, batch); }, batch, *gpu);
  synchronize(device);
  v.after.counters["rooflineUs"] = leastUs(work, *gpu);
  std::string why = implausible(median(v.after.timings.back().wallUs), work, *gpu);
  if (why.empty()) return;
  v.outcome = Outcome::Ambiguous;
  v.after.counters["implausible"] = 1;
  join(v.reason, why);
}

// Medians of both sides on the GPU alone, and how many times as fast after is there.
std::string addRegime(Verdict& v, const char* name, const RegimeTimes& times) {
  v.before.timings.push_back({name, {}, times.beforeUs, false});
  v.after.timings.push_back({name, {}, times.afterUs, false});
  double speedup = median(times.beforeUs) / median(times.afterUs);
  v.before.counters[std::string(name) + "Speedup"] = speedup;
  char text[60];
  std::snprintf(text, sizeof text, "%s %.3fx", name, speedup);
  return text;
}

void addRegimes(Verdict& v, const TimedRun& before, const TimedRun& after, const Device& device,
                double budgetSeconds, Pulse& pulse) {
  Regimes r;
  try {
    r = measureRegimes(before, after, median(v.before.timings.back().wallUs),
                       median(v.after.timings.back().wallUs), device, budgetSeconds, pulse);
  } catch (const Error& e) {
    r.lost = "not timed with cold and hot caches: " + e.reason;
  }
  if (!r.lost.empty()) return join(v.reason, r.lost);
  std::string cold = addRegime(v, "cold", r.cold), hot = addRegime(v, "hot", r.hot);
  join(v.reason, "on the GPU alone " + cold + ", " + hot);
}

}  // namespace

TimingPlan timingPlan(const Device& device, const PairPlan& pair) {
  TimingPlan plan;
  plan.budgetSeconds = pair.budgetSeconds;
  plan.overtimeSeconds = pair.overtimeSeconds;
  plan.blockUs = device.isCuda() ? kBlockUsOnCuda : kBlockUsOnCpu;
  plan.candidates = pair.candidates;
  plan.seed = pair.seed;
  if (!device.isCuda()) {
    plan.waitedUs = waitedUs;
    return plan;
  }
  if (pair.isBrief) {
    plan.blockUs = kBriefBlockUs;
    plan.mostUnits = fewestValues(missingOf(pair.candidates));
  }
  plan.signs.segments = [&device] { return allocatedSegments(device); };
  if (!pair.nvml || !pair.nvml->refused().empty()) return plan;
  plan.signs.clockMHz = [&pair] { return pair.nvml->clock().mhz; };
  plan.reading = [&pair] { return pair.nvml->clock(); };
  return plan;
}

void timePair(Verdict& v, torch::jit::Module& before, torch::jit::Module& after, const Values& batch,
              const Device& device, const PairPlan& pair, Pulse& pulse) {
  c10::InferenceMode inference;
  double share = pair.isBrief ? kRegimeShareOfBrief : kRegimeShare;
  double regimeSeconds = device.isCuda() ? std::min(kRegimeSeconds, share * pair.budgetSeconds) : 0;
  PairPlan warm = pair;
  warm.budgetSeconds -= regimeSeconds;
  Values beforeBatch = cloneOf(batch), afterBatch = cloneOf(batch);
  TimedRun beforeRun = timedRun(before, beforeBatch, device, pair.state),
           afterRun = timedRun(after, afterBatch, device, pair.state);
  Comparison c = compareTimes(beforeRun, afterRun, timingPlan(device, warm), pulse);
  std::string condition = addCondition(v.before, device, pair.nvml);
  v.outcome = c.outcome;
  v.speedup = c.speedup;
  bool isCredible = device.isCuda() || isCredibleOnCpu(c.speedup.mid);
  if (!isCredible) {
    v.outcome = Outcome::Ambiguous;
    c.reason += std::string("; ") + (c.speedup.mid > 1 ? "above 20x" : "below 1/20x") +
                " on a CPU, so calls of one side have likely stalled or the machine was busy: nothing can be "
                "said of the times";
  }
  addControl(v.before, c);
  addWarmUp(v.before, c.beforeWarmUp, pair.first.runs, pair.first.beforeMs);
  addWarmUp(v.after, c.afterWarmUp, pair.first.runs, pair.first.afterMs);
  v.before.timings.push_back(c.before);
  v.after.timings.push_back(c.after);
  join(v.reason,
       (isCredible && std::isfinite(c.speedup.mid) ? speedupText(c.speedup) + " in " : "") + c.reason);
  join(v.reason, condition);
  if (device.isCuda()) {
    doubtBeyondRoofline(v, after, afterBatch, device, pair.state);
    addRegimes(v, beforeRun, afterRun, device, regimeSeconds, pulse);
  }
  v.before.peakBytes = peakBytesOf(device, beforeRun.once);
  v.after.peakBytes = peakBytesOf(device, afterRun.once);
}

}  // namespace kadvise
