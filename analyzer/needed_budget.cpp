#include "analyzer/needed_budget.h"

#include <algorithm>
#include <cmath>

#include "analyzer/search.h"

namespace kadvise {
namespace {

// How often its share one that was cut short is taken to need: more where none shows what one takes. A busy
// machine may then be the reason, and no more is asked for than a few times what was given.
constexpr double kCutShortNeeds = 2, kCutShortNeedsAtLeast = 4, kMostBudgetsOfGuess = 4;

}  // namespace

double neededSeconds(const Spent& s, std::size_t all, double budgetSeconds, const Shares& shares) {
  std::size_t compared = s.finished + s.cutShort;
  if (s.cutShort == 0 || compared == 0) return 0;
  double factor = s.finished ? kCutShortNeeds : kCutShortNeedsAtLeast;
  double each = (s.finishedSeconds + factor * s.cutShortSeconds) / static_cast<double>(compared);
  double candidates = each * static_cast<double>(all);
  double needed = std::max(candidates / (1 - shares.whole), 2 * budgetSeconds);
  if (needed >= kLeastBudgetToSearchSeconds)
    needed = std::max(candidates / (1 - shares.whole - shares.later), 2 * budgetSeconds);
  if (s.finished == 0) needed = std::min(needed, kMostBudgetsOfGuess * budgetSeconds);
  return 10 * std::ceil(needed / 10);
}

}  // namespace kadvise
