#include "analyzer/case_error_log.h"

#include <algorithm>

namespace kadvise {
namespace {

// A verdict is renamed when it becomes that of the whole, or is set aside.
bool mayBeOf(const std::string& compared, const std::string& verdict) {
  if (compared == verdict) return true;
  if (verdict == kWholeVerdict) return compared == kCudaGraphVerdict;
  return verdict == kWithoutGraphsVerdict && compared == kWholeVerdict;
}

// A verdict has the figures of its worst case, unless something else than a figure has shown a difference.
bool agrees(const Accuracy& accuracy, const std::vector<CaseErrors>& cases) {
  if (accuracy.rmsUlp == 0 && accuracy.maxUlp == 0) return accuracy.grade == "different" || !worstOf(cases);
  return std::any_of(cases.begin(), cases.end(), [&](const CaseErrors& c) {
    return c.name == accuracy.worstCase && c.rmsUlp == accuracy.rmsUlp && c.maxUlp == accuracy.maxUlp;
  });
}

}  // namespace

void CaseErrorLog::add(const std::string& candidate, std::vector<CaseErrors> cases) {
  if (!cases.empty()) entries_.push_back({candidate, std::move(cases)});
}

// The first, since a comparison in a fresh process may only confirm it.
const CaseErrorLog::Entry* CaseErrorLog::entryOf(const Verdict& v) const {
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return mayBeOf(e.candidate, v.candidate) && agrees(v.accuracy, e.cases);
  });
  return found == entries_.end() ? nullptr : &*found;
}

void CaseErrorLog::tell(Report& report) const {
  auto take = [&](const Verdict& v) {
    if (auto* entry = entryOf(v)) report.caseErrors[v.candidate] = entry->cases;
  };
  for (auto& v : report.verdicts) take(v);
  take(report.whole);
}

}  // namespace kadvise
