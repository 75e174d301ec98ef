#include "analyzer/judged_on_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/core/least_gain.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

constexpr double kLeastShareInGraphs = 0.9;
// With either caches, what is faster on the whole may not lose more than that.
constexpr double kWorstOfTwo = 0.97;

Outcome outcomeOf(const Interval& s) {
  if (s.mid >= 1 + kLeastGain && s.low >= kWorstOfTwo) return Outcome::Faster;
  if (s.mid <= 1 / (1 + kLeastGain) && s.high <= 1 / kWorstOfTwo) return Outcome::Slower;
  bool isSame = s.low >= 1 / (1 + kLeastGain) && s.high <= 1 + kLeastGain;
  return isSame ? Outcome::Same : Outcome::Ambiguous;
}

}  // namespace

bool willRunInGraphs(const Readiness& readiness) {
  auto* graphs = readiness.find("cuda-graph");
  return graphs && graphs->share >= kLeastShareInGraphs;
}

std::optional<Interval> speedupOnGpu(const Verdict& v) {
  auto& figures = v.before.counters;
  auto cold = figures.find("coldSpeedup"), hot = figures.find("hotSpeedup");
  if (cold == figures.end() || hot == figures.end()) return std::nullopt;
  auto [low, high] = std::minmax(cold->second, hot->second);
  return Interval{low, std::sqrt(low * high), high};
}

Verdict judgedOnGpu(Verdict v) {
  auto alone = speedupOnGpu(v);
  bool isTimed = v.outcome != Outcome::NotRun && outputsEqual(v);
  bool isImplausible = v.after.counters.count("implausible") != 0;  // faster than the GPU can be
  if (!isTimed || isImplausible || !alone || !(alone->low > 0)) return v;
  v.speedup = *alone;
  v.outcome = outcomeOf(v.speedup);
  v.before.counters[kJudgedOnGpu] = 1;
  v.reason += (v.reason.empty() ? "" : "; ") +
              std::string("judged by the GPU alone, since launches cost next to nothing in CUDA graphs");
  return v;
}

}  // namespace kadvise
