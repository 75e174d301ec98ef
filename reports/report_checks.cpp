#include "reports/report_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

// Of schema.json. What is missing would be read as nothing found, or as measured on a CPU.
constexpr const char* kRequired[] = {
    "command",     "environment", "device",   "subject",    "inputs",  "configuration",
    "findings",    "suppressed",  "verdicts", "candidates", "refused", "notApplicable",
    "composition", "modules",     "rules",    "errors",     "timing",  "notes"};

// Nothing is a million times as fast; 0 stands for what was not timed, NaN for what is not known.
bool isPossible(const Interval& speedup) {
  constexpr double kMost = 1e6;
  auto& [low, mid, high] = speedup;
  if (std::isnan(low) || std::isnan(mid) || std::isnan(high) || (low == 0 && mid == 0 && high == 0))
    return true;
  return low > 1 / kMost && low <= mid && mid <= high && high < kMost;
}

void requirePossible(const Verdict& v) {
  if (!isPossible(v.speedup))
    throw Error("", fmt::format("the speedup of {} is {:.3g} ({:.3g} to {:.3g})", v.candidate, v.speedup.mid,
                                v.speedup.low, v.speedup.high));
}

}  // namespace

void requireAll(const Json& j) {
  for (auto* key : kRequired)
    if (!j.contains(key)) throw Error("", std::string("\"") + key + "\" is missing");
}

void requirePossible(const Report& r) {
  requirePossible(r.whole);
  for (auto& v : r.verdicts) requirePossible(v);
  if (r.levels)
    for (auto& row : *r.levels) requirePossible(row.verdict);
}

}  // namespace kadvise
