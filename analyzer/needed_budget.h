// What budget would have done for all candidates.
#pragma once

#include <cstddef>

namespace kadvise {

// What the comparisons so far took.
struct Spent {
  double finishedSeconds = 0, cutShortSeconds = 0;
  std::size_t finished = 0, cutShort = 0;
};

// Of the budget, that are not for the candidates.
struct Shares {
  double whole, later;  // later: where there is enough for a search
};

// In steps of ten seconds; 0 when this one did, or when nothing is known.
double neededSeconds(const Spent&, std::size_t all, double budgetSeconds, const Shares&);

}  // namespace kadvise
