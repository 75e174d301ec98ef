// Which cases a pair of modules is asked, of those that the batch allows.
#pragma once

#include <torch/script.h>

#include <string>
#include <vector>

#include "profiler/case_values.h"
#include "profiler/device.h"
#include "profiler/inputs.h"

namespace kadvise {

struct CaseChoice {
  std::vector<std::string> names;
  bool areWholeNumbersKept = false;  // cases with other whole numbers were left out
};

// planned: of the comparison, which may ask more widely than it planned where its own cases say nothing.
CaseChoice casesToAsk(const torch::jit::Module& original, const Values& batch, Breadth planned, Breadth asked,
                      const Device&);

// "2 cases are refused by the original itself, which raises an exception on such inputs (a, b)"; "" for none.
std::string refusedWords(const std::vector<std::string>& cases);

}  // namespace kadvise
