// Proposals that a reader takes for one, as one item of the report.
#pragma once

#include <vector>

#include "reports/ranking.h"

namespace kadvise {

struct Item {
  Advice advice;
  std::vector<Advice> others;   // for the same places with another replacement
  std::vector<Advice> further;  // the same at the same line, for operands of another form: RoPE's q and k
};

// rankedAdvice() with those under the item that comes first; numbers are those of the items.
std::vector<Item> groupedAdvice(const Report&);

}  // namespace kadvise
