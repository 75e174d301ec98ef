// Cases of other arguments that are no tensors: numbers, flags, and lists of them. A candidate that has the
// batch's own written into it is right until it is called with another.
#pragma once

#include <string>
#include <vector>

#include "profiler/inputs.h"

namespace kadvise {

struct ArgumentChange {
  std::string at;  // "input 1", "input 2[0]"
  c10::IValue to;
};

// At least one other value for each, the first of all arguments in front. What the original does not accept
// was no question. No whole number becomes 0: a division by it would end the process.
std::vector<ArgumentChange> argumentChanges(const Values& batch);

std::string nameOf(const ArgumentChange&);  // "input 1 as 4"
bool changesArgument(const std::string& caseName);
// Whether the case of this name changes whole numbers, which may be indices or lead to some.
bool changesWholeNumbers(const std::string& caseName, const Values& batch);

// The batch with this one argument changed.
Values withArgument(const ArgumentChange&, const Values& batch);

}  // namespace kadvise
