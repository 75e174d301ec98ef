#include "analyzer/judged_on_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/core/least_gain.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

constexpr double kLeastShareInGraphs = 0.9;
constexpr double kWorstOfTwo =
    0.97;  // with either caches, what is faster on the whole may not lose more than that

double counterOf(const Verdict& v, const char* name) {
  auto it = v.before.counters.find(name);
  return it == v.before.counters.end() ? 0 : it->second;
}

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

Verdict judgedOnGpu(Verdict v) {
  double cold = counterOf(v, "coldSpeedup"), hot = counterOf(v, "hotSpeedup");
  bool isTimed = v.outcome == Outcome::Faster || v.outcome == Outcome::Slower || v.outcome == Outcome::Same ||
                 v.outcome == Outcome::Ambiguous;
  bool isImplausible = v.after.counters.count("implausible") != 0;  // faster than the GPU can be
  if (!isTimed || isImplausible || !(cold > 0) || !(hot > 0)) return v;
  v.speedup = {std::min(cold, hot), std::sqrt(cold * hot), std::max(cold, hot)};
  v.outcome = outcomeOf(v.speedup);
  v.before.counters[kJudgedOnGpu] = 1;
  v.reason += (v.reason.empty() ? "" : "; ") +
              std::string("judged by the GPU alone, since launches cost next to nothing in CUDA graphs");
  return v;
}

}  // namespace kadvise
