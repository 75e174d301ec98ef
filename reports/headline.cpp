#include "reports/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/core/most_gain.h"
#include "reports/grouping.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

constexpr const char* kUnmeasuredWords = "the optimised module could not be measured";

// "on NVIDIA H200, outputs equal (bitwise), kernels 412 → 286; nothing was timed on a GPU"
std::string circumstances(const Report& r) {
  std::string caveat = deviceCaveat(r);
  return "on " + deviceWords(r) + ", " + equalityWords(r.whole) + kernelWords(r.whole) +
         (caveat.empty() ? "" : "; " + caveat);
}

// " (1.39–1.45, 95%)"; "" when there is only one figure.
std::string intervalWords(const Interval& i) {
  if (!std::isfinite(i.low) || !std::isfinite(i.high) || i.low <= 0) return "";
  return fmt::format(" ({:.2f}–{:.2f}, 95%)", i.low, i.high);
}

// " in all 12 cases compared (of 40)"; "" where it is not known.
std::string casesWords(const Measurement& m) {
  auto judged = m.counters.find("casesJudged"), left = m.counters.find("casesLeftOut");
  if (judged == m.counters.end() || left == m.counters.end()) return "";
  if (left->second == 0) return fmt::format(" in all {:.0f} cases", judged->second);
  return fmt::format(" in all {:.0f} cases compared (of {:.0f})", judged->second,
                     judged->second + left->second);
}

std::string because(const Verdict& v) { return v.reason.empty() ? "" : ": " + v.reason; }

// What the list of errors says in full is not said twice.
bool isAmongErrors(const Report& r, const std::string& words) {
  return std::any_of(r.errors.begin(), r.errors.end(), [&](const Diagnostic& e) {
    return !words.empty() && (words.ends_with(e.what) || e.what.ends_with(words));
  });
}

}  // namespace

std::string speedupWords(const Interval& i) {
  if (!std::isfinite(i.mid) || i.mid <= 0) return "";
  return formatFactor(i.mid) + intervalWords(i);
}

bool isCredible(const Report& r, const Interval& i) {
  return r.device.kind == "cuda" || isCredibleOnCpu(i.mid);
}

std::string budgetWords(const Report& r) {
  // Items, as the line of counts has them.
  std::size_t all = 0, cut = 0;
  for (auto& item : groupedAdvice(r)) {
    auto& a = item.advice;
    if (!a.verdict || a.standing == Standing::PartOfAnother) continue;
    ++all;
    cut += a.standing == Standing::NotMeasured && ranOutOfBudget(*a.verdict);
  }
  if (cut == 0) return "";
  std::string out = fmt::format("{} of {} proposal{} could not be measured within the budget", cut, all,
                                all == 1 ? "" : "s");
  if (!r.settings) return out + ": raise --budget";
  out += fmt::format(" of {:g} s: raise --budget", r.settings->budgetSeconds);
  if (r.settings->neededSeconds > 0)
    out += fmt::format(" (about {:g} s are needed)", r.settings->neededSeconds);
  return out;
}

std::string equalityWords(const Verdict& v) {
  if (!outputsEqual(v)) return v.outcome == Outcome::WrongOutput ? "outputs differ" : "outputs not compared";
  std::string words = "outputs equal" + casesWords(v.after);
  return v.accuracy.grade.empty() ? words : words + " (" + v.accuracy.grade + ")";
}

std::string kernelWords(const Verdict& v) {
  if (v.before.kernels.empty() || v.after.kernels.empty()) return "";
  return fmt::format(", kernels {} → {}", v.before.kernels.size(), v.after.kernels.size());
}

std::string deviceWords(const Report& r) {
  if (r.device.kind == "cuda") return r.device.name.empty() ? "the GPU" : r.device.name;
  auto threads = r.environment.find("cpuThreads");
  if (threads == r.environment.end()) return "the CPU";
  return fmt::format("the CPU ({} thread{})", threads->second, threads->second == "1" ? "" : "s");
}

std::string deviceCaveat(const Report& r) {
  return r.device.kind == "cuda" ? "" : "nothing was timed on a GPU";
}

Headline headline(const Report& r) {
  const Verdict& v = r.whole;
  std::string speedup = speedupWords(v.speedup);
  switch (v.outcome) {
    case Outcome::Faster:
      if (!isCredible(r, v.speedup)) return {"no clear result " + circumstances(r), Ink::Fair};
      return {fmt::format("{} faster{} {}", formatFactor(v.speedup.mid), intervalWords(v.speedup),
                          circumstances(r)),
              Ink::Good};
    case Outcome::Same:
      if (speedup.empty()) return {"outputs equal, not timed" + because(v), Ink::Fair};
      return {fmt::format("not faster: {} {}", speedup, circumstances(r)), Ink::Fair};
    case Outcome::Slower:
      if (!isCredible(r, v.speedup)) return {"no clear result " + circumstances(r), Ink::Fair};
      return {fmt::format("slower: {} {}", speedup, circumstances(r)), Ink::Fair};
    case Outcome::Ambiguous:
      // Its figure is in doubt: it stands further down, beside the reason.
      return {"no clear result " + circumstances(r), Ink::Fair};
    case Outcome::WrongOutput:
      return {"the outputs differ, nothing is advised" + because(v), Ink::Bad};
    case Outcome::Failed:
      return {isAmongErrors(r, because(v)) ? kUnmeasuredWords : kUnmeasuredWords + because(v), Ink::Bad};
    case Outcome::NotRun:
      return {v.reason.empty() || isAmongErrors(r, v.reason) ? "not measured" : v.reason,
              r.errors.empty() ? Ink::Fair : Ink::Bad};
  }
  return {};
}

bool ofAnotherCommand(const Report& r) {
  return r.component || r.whyNot || r.levels || r.profile || r.health || r.bench;
}

Headline headlineOfRun(const Report& r) {
  if (r.comparison) return {changeCounts(*r.comparison), inkOf(*r.comparison)};
  if (r.component) return componentHeadline(*r.component);
  if (r.pair) return pairHeadline(*r.pair, r.whole);
  return ofAnotherCommand(r) ? Headline{} : headline(r);
}

}  // namespace kadvise
