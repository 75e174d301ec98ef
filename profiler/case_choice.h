// Which cases a pair of modules is asked, of those that the batch allows.
#pragma once

#include <torch/script.h>

#include <set>
#include <string>
#include <vector>

#include "profiler/case_values.h"
#include "profiler/device.h"
#include "profiler/inputs.h"

namespace kadvise {

struct CaseChoice {
  std::vector<std::string> names;
  std::set<std::string> ofTheBatch;  // those that are asked of it however small the budget is
  bool areWholeNumbersKept = false;  // cases with other whole numbers were left out
};

// planned: of the comparison, which may ask more widely than it planned where its own cases say nothing.
CaseChoice casesToAsk(const torch::jit::Module& original, const Values& batch, Breadth planned, Breadth asked,
                      const Device&);

// The batch's own questions are asked to the last one, for several times the budget: what only they show is
// otherwise shown by luck. mostSeconds: but no longer than that, where another comparison asks them, too.
bool isTooLate(const CaseChoice&, const std::string& name, double seconds, double budgetSeconds,
               double mostSeconds);

// "a, b, c and 5 more"
std::string someOf(const std::vector<std::string>& cases);

// "2 cases are refused by the original itself, which raises an exception on such inputs (a, b)"; "" for none.
std::string refusedWords(const std::vector<std::string>& cases);

}  // namespace kadvise
