// Cases of other layouts: the batch's values, stored otherwise. A kernel that takes its inputs to be
// contiguous or aligned is right until it meets a slice.
#pragma once

#include <string>
#include <vector>

#include "profiler/inputs.h"

namespace kadvise {

// Those that at least one tensor can have and has not.
std::vector<std::string> layoutNames(const Values& batch);
bool changesLayout(const std::string& caseName);
Values withLayout(const std::string& name, const Values& batch);

}  // namespace kadvise
