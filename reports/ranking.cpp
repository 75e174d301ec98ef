#include "reports/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/baseline.h"

namespace kadvise {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Standing standingOf(const Verdict* verdict, bool applied) {
  if (applied) return Standing::Applied;
  if (!verdict || verdict->outcome == Outcome::NotRun) return Standing::NotMeasured;
  return outputsEqual(*verdict) ? Standing::NotUsed : Standing::Disproved;
}

template <class T, class Key>
std::map<std::string, const T*> indexed(const std::vector<T>& list, Key key) {
  std::map<std::string, const T*> out;
  for (auto& item : list) out.emplace(item.*key, &item);
  return out;
}

template <class T>
const T* find(const std::map<std::string, const T*>& index, const std::string& id) {
  auto it = index.find(id);
  return it == index.end() ? nullptr : it->second;
}

std::string reasonFor(const Verdict* verdict, const Dropped* dropped) {
  if (dropped) return dropped->reason;
  return verdict ? verdict->reason : "";
}

}  // namespace

bool outputsEqual(const Verdict& v) {
  switch (v.outcome) {
    case Outcome::Faster:
    case Outcome::Slower:
    case Outcome::Same:
    case Outcome::Ambiguous:
      return true;
    case Outcome::NotRun:
      return !v.accuracy.grade.empty() && v.accuracy.grade != "different";  // compared, not timed
    case Outcome::WrongOutput:
    case Outcome::Failed:
      return false;
  }
  return false;
}

double medianWallUs(const Measurement& m) {
  for (auto& t : m.timings)
    if (t.regime == "warm" && !t.wallUs.empty()) return median(t.wallUs);
  for (auto& t : m.timings)
    if (!t.wallUs.empty()) return median(t.wallUs);
  return 0;
}

double savedUs(const Verdict& v, std::size_t sites) {
  if (v.outcome != Outcome::Faster && v.outcome != Outcome::Slower) return 0;
  double before = medianWallUs(v.before);
  if (before <= 0 || !std::isfinite(v.speedup.mid) || v.speedup.mid <= 0) return 0;
  return before * (1 - 1 / v.speedup.mid) * static_cast<double>(std::max<std::size_t>(1, sites));
}

double estimatedUs(const Finding& f, std::size_t sites) {
  if (!f.estimate || !std::isfinite(f.estimate->savedUs)) return 0;
  return f.estimate->savedUs * static_cast<double>(std::max<std::size_t>(1, sites));
}

std::vector<Advice> rankedAdvice(const Report& report) {
  auto verdicts = indexed(report.verdicts, &Verdict::candidate);
  auto findings = indexed(report.findings, &Finding::id);
  auto drops = indexed(report.composition.dropped, &Dropped::candidate);
  auto applied = indexed(report.composition.applied, &Applied::candidate);

  std::vector<Advice> out;
  for (auto& candidate : report.candidates) {
    Advice a;
    a.candidate = &candidate;
    a.verdict = find(verdicts, candidate.id);
    if (!candidate.findings.empty()) a.finding = find(findings, candidate.findings.front());
    a.standing = standingOf(a.verdict, find(applied, candidate.id));
    if (a.finding) a.estimatedUs = estimatedUs(*a.finding, candidate.findings.size());
    if (a.verdict) a.savedUs = savedUs(*a.verdict, candidate.findings.size());
    if (a.standing != Standing::Applied) a.reason = reasonFor(a.verdict, find(drops, candidate.id));
    out.push_back(std::move(a));
  }
  std::stable_sort(out.begin(), out.end(), [](const Advice& a, const Advice& b) {
    if (a.standing != b.standing) return a.standing < b.standing;
    if (a.savedUs != b.savedUs) return a.savedUs > b.savedUs;
    return a.standing == Standing::NotMeasured && a.estimatedUs > b.estimatedUs;
  });
  return out;
}

std::vector<const Finding*> unproposedFindings(const Report& report) {
  std::set<std::string> proposed;
  for (auto& c : report.candidates) proposed.insert(c.findings.begin(), c.findings.end());
  std::vector<const Finding*> out;
  for (auto& f : report.findings)
    if (!proposed.count(f.id) && !suppressionOf(report, f.id)) out.push_back(&f);
  auto gain = [](const Finding* f) { return estimatedUs(*f, 1 + f->related.size()); };
  std::stable_sort(out.begin(), out.end(), [&](auto* a, auto* b) {
    return a->severity != b->severity ? a->severity > b->severity : gain(a) > gain(b);
  });
  return out;
}

}  // namespace kadvise
