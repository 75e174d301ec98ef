#include "analyzer/needed_budget.h"

#include <algorithm>
#include <cmath>

#include "analyzer/search.h"

namespace kadvise {
namespace {

// How often its share one that was cut short is taken to need.
constexpr double kCutShortNeeds = 2;

}  // namespace

double neededSeconds(const Spent& s, std::size_t all, double budgetSeconds, const Shares& shares) {
  std::size_t compared = s.finished + s.cutShort;
  // Where none was finished, a machine that was busy may be the reason, and any number a guess.
  if (s.cutShort == 0 || s.finished == 0) return 0;
  double each = (s.finishedSeconds + kCutShortNeeds * s.cutShortSeconds) / static_cast<double>(compared);
  double candidates = each * static_cast<double>(all);
  double needed = std::max(candidates / (1 - shares.whole), 2 * budgetSeconds);
  if (needed >= kLeastBudgetToSearchSeconds)
    needed = std::max(candidates / (1 - shares.whole - shares.later), 2 * budgetSeconds);
  return 10 * std::ceil(needed / 10);
}

}  // namespace kadvise
