#include "analyzer/vouching.h"

#include <algorithm>

namespace kadvise {
namespace {

constexpr int kFasterForEachUnclear = 2;

bool isAlike(const Candidate& a, const Candidate& b) {
  return a.rule == b.rule && a.title == b.title && a.ofRegion == b.ofRegion;
}

}  // namespace

bool isPartOfWhole(const Verdict& v) { return v.outcome == Outcome::NotRun && v.reason == kPartOfWhole; }

bool isVouchedFor(const Candidate& one, const std::vector<Candidate>& candidates,
                  const std::vector<Verdict>& verdicts) {
  int faster = 0, unclear = 0;
  for (auto& v : verdicts) {
    auto other =
        std::find_if(candidates.begin(), candidates.end(), [&](auto& c) { return c.id == v.candidate; });
    if (other == candidates.end() || !isAlike(*other, one)) continue;
    bool against =
        v.outcome == Outcome::Slower || v.outcome == Outcome::WrongOutput || v.outcome == Outcome::Failed;
    if (against) return false;
    faster += v.outcome == Outcome::Faster;
    unclear += v.outcome == Outcome::Ambiguous || v.outcome == Outcome::Same;
  }
  return faster > 0 && faster >= kFasterForEachUnclear * unclear;
}

}  // namespace kadvise
