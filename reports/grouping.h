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

// As they stand under the item: its own replacement first.
std::vector<Advice> proposalsOf(const Item&);
std::vector<Advice> allOf(const std::vector<Item>&);

}  // namespace kadvise
