#include "reports/advice_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/core/least_gain.h"
#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr std::size_t kFewUnits = 12;

std::string untimedWords(const Report& r, const Verdict& v) {
  if (!ranOutOfBudget(v)) return v.reason.starts_with("not timed") ? v.reason : "not timed";
  std::string budget =
      r.settings ? fmt::format("the budget of {:g} s", r.settings->budgetSeconds) : "the budget";
  return "not timed: its share of " + budget + " was spent by the comparison (--budget)";
}

bool wasBusy(const Verdict& v) {
  auto& timings = v.before.timings;
  return std::any_of(timings.begin(), timings.end(), [](auto& t) { return t.throttled; });
}

// What settles it.
const char* remedyOf(const Verdict& v) { return wasBusy(v) ? " (run it again on a quiet machine)" : ""; }

std::string onceWords(const Advice& a) {
  bool isShared = sharesMakers(a.candidate->rule) && a.candidate->findings.size() > 1;
  return isShared ? " (counted once, since its sites share what makes their input)" : "";
}

std::string gainWords(const Report& r, const Advice& a) {
  const Verdict& v = *a.verdict;
  if (!isCredible(r, v.speedup)) return kIncredibleWords;
  std::string region =
      speedupWords(v.speedup) + (isJudgedOnGpu(v) ? " in its region on the GPU alone" : " in its region");
  switch (v.outcome) {
    case Outcome::Faster:
      return "saves " + formatUs(a.savedUs) + " a call" + onceWords(a) + ", " + region;
    case Outcome::Slower:
      return "slower: " + region;
    case Outcome::Ambiguous:
      if (v.speedup.high < 1) return "it seems slower: " + region + ", but " + doubtWords(v);
      return "no clear gain, because " + doubtWords(v) + remedyOf(v) + ": " + region;
    default:
      return "no difference: " + region;
  }
}

}  // namespace

std::string doubtWords(const Verdict& v) {
  auto& timings = v.before.timings;
  if (wasBusy(v)) return "the machine was busy with other work";
  auto low = v.before.counters.find("controlLow"), high = v.before.counters.find("controlHigh");
  bool controlled = low != v.before.counters.end() && high != v.before.counters.end();
  double noise = controlled ? std::max(std::abs(low->second - 1), std::abs(high->second - 1)) : 0;
  if (noise > kLeastGain)
    return fmt::format("the original against itself gave {:.2f}–{:.2f}x in the same run", low->second,
                       high->second);
  if (v.reason.find("not confirmed") != std::string::npos) return "a fresh process did not confirm it";
  std::size_t units = timings.empty() ? 0 : timings.front().wallUs.size() / 2;  // two blocks of each
  std::string few = units && units < kFewUnits ? ", with " + plural(units, "round") + " of measurement" : "";
  return fmt::format("the interval does not clear {:g} %{}", 100 * kLeastGain, few);
}

std::string measuredWords(const Report& r, const Advice& a) {
  std::string equal = equalityWords(*a.verdict);
  if (speedupWords(a.verdict->speedup).empty()) return equal + ", " + untimedWords(r, *a.verdict);
  return gainWords(r, a) + "; " + equal + kernelWords(*a.verdict);
}

std::string whyNotUsed(const Report& r, const Advice& a) {
  if (a.standing == Standing::Disproved)
    return (a.verdict->outcome == Outcome::Failed ? "failed" : "outputs differ") +
           (a.reason.empty() ? "" : ": " + a.reason);
  // That the figure settles nothing has been said with the figure.
  bool said = a.standing == Standing::NoClearGain &&
              (a.reason.starts_with("nothing shows") || a.reason == a.verdict->reason);
  return measuredWords(r, a) + (a.reason.empty() || said ? "" : ": " + a.reason);
}

std::string whyNotMeasured(const Report& r, const Advice& a) {
  if (a.verdict && outputsEqual(*a.verdict)) return measuredWords(r, a);
  return a.reason.empty() ? "" : "not measured: " + a.reason;
}

std::string estimateWords(const Finding* f, std::size_t sites) {
  if (!f || !f->estimate) return "";
  const Estimate& e = *f->estimate;
  bool isUnseen = e.savedUs == 0 && e.bytesSaved <= 0 && e.speedup == 1;
  if (isUnseen || promisesNothing(*f)) return "estimate: none to speak of";
  double n = static_cast<double>(timesCounted(f->rule, sites));
  std::string out = "estimate: ";
  if (e.savedUs > 0) out += "about " + formatUs(e.savedUs * n) + " less a call, ";
  if (e.bytesSaved > 0) out += formatBytes(e.bytesSaved * n) + " less traffic a call, ";
  out += std::isfinite(e.speedup) ? formatFactor(e.speedup) + " in its region" : "all of its region";
  return out + (e.basis.empty() ? "" : " (" + e.basis + ")");
}

}  // namespace kadvise
