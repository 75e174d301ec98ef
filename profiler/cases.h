// The inputs that a candidate is judged on: the user's batch, and others of the same shapes, dtypes and
// layouts. One rand() is not enough: it never shows a lost sign, a missing epsilon, or a variance that
// cancels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/inputs.h"

namespace kadvise {

struct Case {
  std::string name;
  Values inputs;
};

// "inputs" first, then those that can differ from it. Which of a batch's tensors a case replaces:
//  - a floating tensor with more than one element, unless it looks like a mask: it holds infinities, NaN or
//  values
//    below -1e4 (additive masks), or takes at most two different values (0/1 masks, constants). Masks,
//    scalars and single elements keep their values: other values would be other questions, not other data.
//  - where no value of the batch is negative (variances, probabilities, values under a root), absolute values
//  are
//    drawn.
//  - "reversed" flips integers along the last dimension: the same values, so every index stays in range.
//  Bools are
//    drawn there.
std::vector<std::string> caseNames(const Values& batch);
Case makeCase(const std::string& name, const Values& batch, const Device&, std::uint64_t seed);

}  // namespace kadvise
