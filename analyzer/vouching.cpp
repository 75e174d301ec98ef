#include "analyzer/vouching.h"

#include <algorithm>

namespace kadvise {
namespace {

constexpr int kFasterForEachUnclear = 2;
constexpr int kFewestAgainst = 3;

bool isAlike(const Candidate& a, const Candidate& b) {
  return a.rule == b.rule && a.title == b.title && a.ofRegion == b.ofRegion;
}

struct OfItsKind {
  int faster = 0, unclear = 0, against = 0;
};

OfItsKind verdictsOnAlike(const Candidate& one, const std::vector<Candidate>& candidates,
                          const std::vector<Verdict>& verdicts) {
  OfItsKind out;
  for (auto& v : verdicts) {
    auto other =
        std::find_if(candidates.begin(), candidates.end(), [&](auto& c) { return c.id == v.candidate; });
    if (other == candidates.end() || !isAlike(*other, one)) continue;
    out.faster += v.outcome == Outcome::Faster;
    out.unclear += v.outcome == Outcome::Ambiguous || v.outcome == Outcome::Same;
    out.against +=
        v.outcome == Outcome::Slower || v.outcome == Outcome::WrongOutput || v.outcome == Outcome::Failed;
  }
  return out;
}

}  // namespace

bool isPartOfWhole(const Verdict& v) { return v.outcome == Outcome::NotRun && v.reason == kPartOfWhole; }

bool isVouchedFor(const Candidate& one, const std::vector<Candidate>& candidates,
                  const std::vector<Verdict>& verdicts) {
  auto alike = verdictsOnAlike(one, candidates, verdicts);
  return alike.against == 0 && alike.faster > 0 && alike.faster >= kFasterForEachUnclear * alike.unclear;
}

bool isSpokenAgainst(const Candidate& one, const std::vector<Candidate>& candidates,
                     const std::vector<Verdict>& verdicts) {
  auto alike = verdictsOnAlike(one, candidates, verdicts);
  return alike.against >= kFewestAgainst && alike.against > alike.faster;
}

}  // namespace kadvise
