#include "reports/ranking.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "reports/baseline.h"
#include "reports/found_rows.h"

namespace kadvise {
namespace {

constexpr const char* kSharingMakers[] = {"fusion/attention-mask-from-shapes"};
constexpr const char* kLaunchBound = "graph-break/launch-bound";  // what CUDA graphs of its own answer

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

bool keepsAllEqual(const Report& r) { return r.settings && r.settings->keep == "equal"; }

// Why nothing of what was applied is advised; "" when the whole stands.
std::string whyWholeFell(const Report& r) {
  if (r.whole.outcome == Outcome::WrongOutput) return "the outputs of the module with it differ";
  if (!outputsEqual(r.whole)) return "the module with it was not shown to be equal";
  if (r.whole.outcome == Outcome::Slower && !keepsAllEqual(r))
    return "the module with it is slower as a whole";
  return "";
}

bool isPartOfAnother(const Verdict& v) {
  return v.outcome == Outcome::NotRun && v.reason.starts_with(kPartOf);
}

Standing standingOf(const Report& report, const Verdict* verdict, bool applied) {
  if (verdict && isPartOfAnother(*verdict)) return Standing::PartOfAnother;
  if (!verdict || (verdict->outcome == Outcome::NotRun && !outputsEqual(*verdict)))
    return Standing::NotMeasured;
  if (!outputsEqual(*verdict)) return Standing::Disproved;
  if (!applied && ranOutOfBudget(*verdict)) return Standing::NotMeasured;
  if (applied && !whyWholeFell(report).empty()) return Standing::NotUsed;
  bool decided = verdict->outcome == Outcome::Faster || verdict->outcome == Outcome::Slower;
  bool isKeptUnsettled = keepsAllEqual(report) && (decided || ranOutOfBudget(*verdict));
  if (applied && (verdict->outcome == Outcome::Faster || isKeptUnsettled)) return Standing::Advised;
  return decided ? Standing::NotUsed : Standing::NoClearGain;
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

std::string reasonFor(const Report& report, const Advice& a, const Dropped* dropped) {
  if (dropped) return dropped->reason;
  if (a.sitesApplied) return a.standing == Standing::NotUsed ? whyWholeFell(report) : "";
  return a.verdict ? a.verdict->reason : "";
}

using Places = std::vector<std::string>;

// The lines of a candidate's findings. Without a line a module path says too little: many things happen in
// one module.
Places linesOf(const Candidate& c, const std::map<std::string, const Finding*>& findings) {
  Places out;
  for (auto& id : c.findings)
    if (auto* f = find(findings, id); f && f->where.line > 0)
      out.push_back(f->where.file + ":" + std::to_string(f->where.line) + " " + f->where.scope);
  return out;
}

std::size_t shared(const Places& a, const Places& b) {
  return static_cast<std::size_t>(std::count_if(
      a.begin(), a.end(), [&](auto& x) { return std::find(b.begin(), b.end(), x) != b.end(); }));
}

using Operators = std::set<std::string>;

// Of one region's text, "  %4 : Tensor = aten::relu(%3)"; what only takes values apart and together has the
// names of others.
void addOperatorsOf(const std::string& text, Operators& out) {
  constexpr std::string_view kMade = " = ";
  for (auto at = text.find(kMade); at != std::string::npos; at = text.find(kMade, at)) {
    at += kMade.size();
    auto name = text.substr(at, text.find_first_of("([ \n", at) - at);
    if (name.find("::") != std::string::npos && !name.starts_with("prim::")) out.insert(name);
  }
}

// What a candidate's regions are made of; none where the report does not have them.
Operators operatorsOf(const Candidate& c, const std::map<std::string, const Finding*>& findings) {
  Operators out;
  for (auto& id : c.findings)
    if (auto* f = find(findings, id))
      for (auto& fix : f->fixes)
        if (auto* rewrite = std::get_if<Rewrite>(&fix.change)) addOperatorsOf(rewrite->before, out);
  return out;
}

// One line may hold many nodes: regions without an operator in common share none of them.
bool mayShareNodes(const Operators& a, const Operators& b) {
  return a.empty() || b.empty() || std::any_of(a.begin(), a.end(), [&](auto& x) { return b.count(x) != 0; });
}

// Numbers the items in their order, and says of each which earlier one it competes with.
void relate(std::vector<Advice>& advice, const std::map<std::string, const Finding*>& findings) {
  std::vector<Places> lines;
  std::vector<Operators> operators;
  for (auto& a : advice) {
    lines.push_back(linesOf(*a.candidate, findings));
    operators.push_back(operatorsOf(*a.candidate, findings));
  }
  for (std::size_t i = 0; i < advice.size(); ++i) {
    Advice& a = advice[i];
    a.number = i + 1;
    for (std::size_t j = 0; j < i && !a.isAlternative; ++j) {
      // A place that another replacement makes is on its lines and takes nothing from it.
      if (a.candidate->round != advice[j].candidate->round) continue;
      std::size_t same = shared(a.candidate->findings, advice[j].candidate->findings),
                  near = mayShareNodes(operators[i], operators[j]) ? shared(lines[i], lines[j]) : 0;
      if (!same && (a.rival || !near)) continue;
      a.rival = j + 1;
      a.isAlternative = same > 0;
      a.sharedSites = same ? same : near;
    }
  }
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

bool ranOutOfBudget(const Verdict& v) {
  if (v.outcome == Outcome::NotRun) return v.reason.starts_with("the budget of");
  return v.outcome == Outcome::Ambiguous && !(std::isfinite(v.speedup.mid) && v.speedup.mid > 0);
}

double medianWallUs(const Measurement& m) {
  for (auto& t : m.timings)
    if (t.regime == "warm" && !t.wallUs.empty()) return median(t.wallUs);
  for (auto& t : m.timings)
    if (!t.wallUs.empty()) return median(t.wallUs);
  return 0;
}

bool isJudgedOnGpu(const Verdict& v) { return v.before.counters.count(kJudgedOnGpu) != 0; }

double regionUs(const Verdict& v) {
  if (!isJudgedOnGpu(v)) return medianWallUs(v.before);
  for (auto& t : v.before.timings)
    if (t.regime == "cold") return median(t.busyUs);
  return 0;
}

bool sharesMakers(const std::string& rule) {
  return std::find(std::begin(kSharingMakers), std::end(kSharingMakers), rule) != std::end(kSharingMakers);
}

// No site is known by itself then: the first is counted, with all that makes the input.
std::size_t timesCounted(const std::string& rule, std::size_t sites) {
  return sharesMakers(rule) ? 1 : std::max<std::size_t>(1, sites);
}

double savedUs(const Verdict& v, std::size_t sites) {
  if (v.outcome != Outcome::Faster && v.outcome != Outcome::Slower) return 0;
  double before = regionUs(v);
  if (before <= 0 || !std::isfinite(v.speedup.mid) || v.speedup.mid <= 0) return 0;
  return before * (1 - 1 / v.speedup.mid) * static_cast<double>(std::max<std::size_t>(1, sites));
}

bool promisesNothing(const Finding& f) {
  constexpr double kLeastUs = 0.01;  // no clock of a GPU tells less
  if (!f.estimate) return false;
  // The same traffic and arithmetic by a better kernel: what that gains is not to be had from shapes.
  bool isUnseen = f.estimate->savedUs == 0 && !(f.estimate->speedup < 1);
  return !isUnseen && f.estimate->savedUs < kLeastUs;
}

double estimatedUs(const Finding& f, std::size_t sites) {
  if (!f.estimate || !std::isfinite(f.estimate->savedUs) || promisesNothing(f)) return 0;
  return f.estimate->savedUs * static_cast<double>(timesCounted(f.rule, sites));
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
    auto* use = find(applied, candidate.id);
    a.standing = standingOf(report, a.verdict, use != nullptr);
    if (use) a.sitesApplied = static_cast<std::size_t>(std::max(use->sites, 0));
    std::size_t sites = a.sitesApplied ? a.sitesApplied : candidate.findings.size();
    if (a.finding) a.estimatedUs = estimatedUs(*a.finding, candidate.findings.size());
    if (a.verdict) a.savedUs = savedUs(*a.verdict, timesCounted(candidate.rule, sites));
    if (a.standing != Standing::Advised) a.reason = reasonFor(report, a, find(drops, candidate.id));
    out.push_back(std::move(a));
  }
  auto isLast = [](const Advice& a) { return a.finding && promisesNothing(*a.finding); };
  std::stable_sort(out.begin(), out.end(), [&](const Advice& a, const Advice& b) {
    if (a.standing != b.standing) return a.standing < b.standing;
    if (a.savedUs != b.savedUs) return a.savedUs > b.savedUs;
    if (a.standing == Standing::NotMeasured && isLast(a) != isLast(b)) return isLast(b);
    return a.standing == Standing::NotMeasured && a.estimatedUs > b.estimatedUs;
  });
  relate(out, findings);
  return out;
}

bool isUnverified(const Report& r) { return r.verdicts.empty() && r.whole.outcome == Outcome::NotRun; }

std::vector<const Finding*> unproposedFindings(const Report& report) {
  std::set<std::string> proposed;
  for (auto& c : report.candidates) proposed.insert(c.findings.begin(), c.findings.end());
  std::vector<const Finding*> out;
  bool isCaptured = report.cudaGraph && report.cudaGraph->status == GraphStatus::Applied;
  for (auto& f : report.findings) {
    bool isAnswered = isCaptured && f.rule == kLaunchBound;
    if (!proposed.count(f.id) && !suppressionOf(report, f.id) && !isAnswered) out.push_back(&f);
  }
  auto gain = [](const Finding* f) { return estimatedUs(*f, sitesOf(*f)); };
  std::stable_sort(out.begin(), out.end(), [&](auto* a, auto* b) {
    if (a->severity != b->severity) return a->severity > b->severity;
    bool isLastA = promisesNothing(*a), isLastB = promisesNothing(*b);
    return isLastA != isLastB ? isLastB : gain(a) > gain(b);
  });
  return out;
}

}  // namespace kadvise
