// The inputs that a candidate is judged on: the user's batch, and others. One rand() is not enough: it never
// shows a lost sign, a missing epsilon, or a variance that cancels.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/case_values.h"
#include "profiler/inputs.h"

namespace kadvise {

inline constexpr const char* kOwnInputs = "inputs";  // the case of the batch itself

struct Case {
  std::string name;
  Values inputs;
};

// "inputs" first, then those that can differ from it. Which tensors a case replaces is in case_roles.h; as
// given, values stay of the batch's sign, and integers are permuted or repeated, so that every index stays in
// range. mayIndex: integers may be indices (see mayIndex()).
std::vector<std::string> caseNames(const Values& batch, Breadth = Breadth::AsGiven, bool mayIndex = true);
Case makeCase(const std::string& name, const Values& batch, const Device&, std::uint64_t seed);

// Whether the module uses an operator that reads or writes by index, or one that is not known here.
bool mayIndex(const torch::jit::Module&);

}  // namespace kadvise
