#include "reports/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "reports/baseline.h"
#include "reports/found_rows.h"
#include "reports/headline.h"
#include "reports/lost_fusions.h"
#include "reports/run_timing.h"
#include "reports/sections.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

// A kernel's time is of a single recorded call: below these a difference is within its grain.
constexpr double kLeastKernelChange = 0.10, kLeastKernelUs = 1;

void noteDifference(RunComparison& c, const std::string& name, const std::string& a, const std::string& b) {
  if (a != b) c.differs.push_back(name + ": " + (a.empty() ? "none" : a) + " → " + (b.empty() ? "none" : b));
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// What times depend on beside the module.
void compareCircumstances(RunComparison& c, const Report& a, const Report& b) {
  noteDifference(c, "module", fs::path(a.subject.path).filename(), fs::path(b.subject.path).filename());
  auto modules = c.differs.size();
  noteDifference(c, "device", deviceWords(a), deviceWords(b));
  noteDifference(c, "inputs", joined(a.inputs.specs), joined(b.inputs.specs));
  std::set<std::string> names;
  for (auto* r : {&a, &b})
    for (auto& [name, value] : r->environment) names.insert(name);
  auto valueIn = [](const Report& r, const std::string& name) {
    auto it = r.environment.find(name);
    return it == r.environment.end() ? "" : it->second;
  };
  for (auto& name : names) noteDifference(c, name, valueIn(a, name), valueIn(b, name));
  c.areTimesComparable = c.differs.size() == modules;
  noteDifference(c, "parameters", formatCount(static_cast<double>(a.subject.parameters)),
                 formatCount(static_cast<double>(b.subject.parameters)));
  noteDifference(c, "kadvise", a.tool.version, b.tool.version);
}

std::string callWords(const Report& r) {
  auto us = medianInterval(r.whole.after);
  auto gain = speedupWords(r.whole.speedup);
  return (us.mid > 0 ? formatUs(us.mid) + " a call" : "not timed") + (gain.empty() ? "" : ", " + gain);
}

void put(RunComparison& c, bool isWorse, RunChange change) {
  (isWorse ? c.regressions : c.gains).push_back(std::move(change));
}

void compareWholes(RunComparison& c, const Report& a, const Report& b) {
  bool wasEqual = outputsEqual(a.whole), isEqual = outputsEqual(b.whole);
  if (wasEqual && b.whole.outcome == Outcome::WrongOutput)
    put(c, true,
        {"outputs-differ", "", "the optimised module", equalityWords(a.whole),
         equalityWords(b.whole) + ": " + b.whole.reason, "", 0});
  bool isTimed = medianWallUs(a.whole.after) > 0 || medianWallUs(b.whole.after) > 0;
  if (!isTimed && ofAnotherCommand(b)) return;
  c.whole = callWords(a) + " → " + callWords(b);
  if (!c.areTimesComparable || !wasEqual || !isEqual) return;
  auto old = medianInterval(a.whole.after), now = medianInterval(b.whole.after);
  bool isSlower = isClearlyAbove(now, old) || isClearlyAbove(a.whole.speedup, b.whole.speedup);
  bool isFaster = isClearlyAbove(old, now) || isClearlyAbove(b.whole.speedup, a.whole.speedup);
  if (isSlower != isFaster)
    put(c, isSlower,
        {isSlower ? "slower-whole" : "faster-whole", "", "the optimised module", callWords(a), callWords(b),
         "", now.mid - old.mid});
  else c.whole += ": no clear difference";
}

void compareMemory(RunComparison& c, const Report& a, const Report& b) {
  auto old = static_cast<double>(a.whole.after.peakBytes), now = static_cast<double>(b.whole.after.peakBytes);
  if (old <= 0 || now <= 0) return;
  bool isMore = now > (1 + kLeastChange) * old, isLess = old > (1 + kLeastChange) * now;
  if (isMore || isLess)
    put(c, isMore,
        {isMore ? "more-memory" : "less-memory", "", "peak memory of a call", formatBytes(old),
         formatBytes(now), "", 0});
}

std::string launchesWords(const KernelTime& k) {
  return fmt::format("{} in {}", formatUs(k.us),
                     k.launches == 1 ? "1 launch" : fmt::format("{:.0f} launches", k.launches));
}

void compareKernels(RunComparison& c, const Report& a, const Report& b) {
  if (!c.areTimesComparable) return;
  std::map<std::string, KernelTime> old;
  for (auto& k : kernelTimes(a)) old.emplace(k.name, k);
  for (auto& now : kernelTimes(b)) {
    auto it = old.find(now.name);
    if (it == old.end()) continue;
    double change = now.us - it->second.us,
           least = std::max(kLeastKernelUs, kLeastKernelChange * it->second.us);
    if (std::abs(change) < least) continue;
    put(c, change > 0,
        {change > 0 ? "slower-kernel" : "faster-kernel", "", now.name, launchesWords(it->second),
         launchesWords(now), "", change});
  }
}

void putTimes(RunComparison& c, const char* kind, const std::string& what, const Interval& old,
              const Interval& now) {
  if (!(old.mid > 0) || !(now.mid > 0)) return;  // not timed in one of them
  bool isSlower = isClearlyAbove(now, old);
  if (isSlower || isClearlyAbove(old, now))
    put(c, isSlower,
        {std::string(isSlower ? "slower-" : "faster-") + kind, "", what, formatUs(old.mid), formatUs(now.mid),
         "", now.mid - old.mid});
}

// The views of a profile, each way of running the module by itself.
void compareProfiles(RunComparison& c, const Report& a, const Report& b) {
  if (!a.profile || !b.profile || !c.areTimesComparable) return;
  for (auto& now : b.profile->views)
    for (auto& old : a.profile->views)
      if (old.mode == now.mode) putTimes(c, "whole", "a call, " + now.mode, old.wallUs, now.wallUs);
}

// Of `kadvise levels`: each level against itself.
void compareLevels(RunComparison& c, const Report& a, const Report& b) {
  if (!a.levels || !b.levels) return;
  for (auto& now : *b.levels)
    for (auto& old : *a.levels) {
      if (old.level != now.level || old.name != now.name) continue;
      std::string what = fmt::format("level {}, {}", now.level, now.name);
      if (outputsEqual(old.verdict) && now.verdict.outcome == Outcome::WrongOutput)
        put(c, true,
            {"outputs-differ", "", what, equalityWords(old.verdict), equalityWords(now.verdict), "", 0});
      else if (c.areTimesComparable)
        putTimes(c, "whole", what, medianInterval(old.verdict.after), medianInterval(now.verdict.after));
    }
}

// Of `kadvise bench`: each size against itself.
void compareBenches(RunComparison& c, const Report& a, const Report& b) {
  if (!a.bench || !b.bench || a.bench->op != b.bench->op || !c.areTimesComparable) return;
  for (auto& now : b.bench->rows)
    for (auto& old : a.bench->rows)
      if (old.inputs == now.inputs && old.us.mid > 0 && now.us.mid > 0)
        putTimes(c, "kernel", b.bench->op + " over " + now.inputs, old.us, now.us);
}

// What both replaced, and what it gains there.
void compareRegions(RunComparison& c, const Report& a, const Report& b) {
  if (!c.areTimesComparable) return;
  auto advice = rankedAdvice(b);
  for (auto& old : rankedAdvice(a)) {
    if (!old.sitesApplied || !old.verdict || !old.finding) continue;
    auto same = std::find_if(advice.begin(), advice.end(), [&](auto& x) {
      return x.finding && x.finding->id == old.finding->id && x.candidate->title == old.candidate->title;
    });
    if (same == advice.end() || !same->verdict || !same->sitesApplied) continue;
    bool isWorse = isClearlyAbove(old.verdict->speedup, same->verdict->speedup);
    bool isBetter = isClearlyAbove(same->verdict->speedup, old.verdict->speedup);
    if (!isWorse && !isBetter) continue;
    put(c, isWorse,
        {isWorse ? "slower-region" : "faster-region", old.candidate->rule,
         old.finding->message + " at " + siteWords(same->finding->where, same->candidate->findings.size()),
         speedupWords(old.verdict->speedup), speedupWords(same->verdict->speedup), same->finding->id,
         old.savedUs - same->savedUs});
  }
}

std::set<std::string> judgedRules(const Report& r) {
  std::set<std::string> out;
  for (auto& f : r.findings) out.insert(f.rule);
  for (auto& f : r.refused) out.insert(f.rule);
  for (auto& f : r.notApplicable) out.insert(f.rule);
  return out;
}

// The findings of a that b has, or has not, the severest first.
std::vector<FoundRow> rowsOf(const Report& a, bool isInBoth, const Report& b) {
  std::set<std::string> there;
  for (auto& f : b.findings) there.insert(f.id);
  std::vector<const Finding*> rows;
  for (auto& f : a.findings)
    if (f.round == 1 && there.contains(f.id) == isInBoth && !suppressionOf(a, f.id)) rows.push_back(&f);
  std::stable_sort(rows.begin(), rows.end(), [](auto* x, auto* y) { return x->severity > y->severity; });
  return foundRows(rows);
}

std::vector<FoundRow> onlyIn(const Report& a, const Report& b) { return rowsOf(a, /*isInBoth=*/false, b); }

bool isRefusedIn(const Report& r, const Finding& f) {
  return std::any_of(r.refused.begin(), r.refused.end(), [&](auto& x) {
    return x.rule == f.rule && x.where.scope == f.where.scope && x.where.file == f.where.file &&
           x.where.line == f.where.line;
  });
}

RunChange changeOf(const FoundRow& row, const std::string& remark) {
  auto& f = *row.first;
  return {word(f.severity),
          f.rule,
          messageOf(row) + " at " + siteWords(f.where, row.sites) + remark,
          "",
          "",
          f.id,
          0};
}

void compareFindings(RunComparison& c, const Report& a, const Report& b) {
  auto before = judgedRules(a), now = judgedRules(b);
  for (auto& row : onlyIn(b, a))
    c.found.push_back(
        changeOf(row, before.count(row.first->rule) ? "" : " (the older run was not asked for it)"));
  auto lost = findingsOfLostFusions(a, b);
  // What was not looked for is not fixed, and neither is what is there still and refused, nor what was
  // better.
  for (auto& row : onlyIn(a, b)) {
    bool isLost = std::any_of(row.ids.begin(), row.ids.end(), [&](auto& id) { return lost.count(id); });
    bool isGone = now.count(row.first->rule) && !isRefusedIn(b, *row.first) && !isLost;
    if (isGone) c.fixed.push_back(changeOf(row, ""));
  }
  c.unchanged = rowsOf(b, /*isInBoth=*/true, a).size();
}

// That it is wrong comes first, then what was lost, then times, the largest first.
int rankOf(const RunChange& c) {
  constexpr const char* kOrder[] = {"outputs-differ", "lost-fusion",   "new-fusion",    "slower-whole",
                                    "faster-whole",   "slower-kernel", "faster-kernel", "slower-region",
                                    "faster-region",  "more-memory",   "less-memory"};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), c.kind) - std::begin(kOrder));
}

void sort(std::vector<RunChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](auto& a, auto& b) {
    int x = rankOf(a), y = rankOf(b);
    return x != y ? x < y : std::abs(a.lostUs) > std::abs(b.lostUs);
  });
}

}  // namespace

bool areOfOneModule(const Report& old, const Report& fresh) {
  return fs::path(old.subject.path).filename() == fs::path(fresh.subject.path).filename() ||
         old.subject.parameters == fresh.subject.parameters;
}

Report comparedRuns(const Report& old, const std::string& oldPath, Report fresh, const std::string& newPath) {
  RunComparison c;
  c.older = oldPath, c.newer = newPath;
  compareCircumstances(c, old, fresh);
  if (!areOfOneModule(old, fresh)) {
    c.areTimesComparable = false, c.areTwoModules = true;
    c.whole = callWords(old) + " → " + callWords(fresh);
    fresh.comparison = std::move(c);
    return fresh;
  }
  compareWholes(c, old, fresh);
  for (auto& change : lostFusions(old, fresh)) c.regressions.push_back(change);
  for (auto& change : lostFusions(fresh, old)) c.gains.push_back(turnedRound(change));
  compareProfiles(c, old, fresh);
  compareLevels(c, old, fresh);
  compareBenches(c, old, fresh);
  compareKernels(c, old, fresh);
  compareRegions(c, old, fresh);
  compareMemory(c, old, fresh);
  compareFindings(c, old, fresh);
  sort(c.regressions);
  sort(c.gains);
  fresh.comparison = std::move(c);
  return fresh;
}

}  // namespace kadvise
