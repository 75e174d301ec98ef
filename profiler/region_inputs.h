// What the regions of a module are called with: the files that `trace` saves and `compare` reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/inputs.h"

namespace kadvise {

// `names`: of the values, as trace has them ("in.0" is the first of the module's own). Large ones of the
// module's own inputs are saved by number: of gigabytes, writing takes longer than measuring.
void writeRegionInputs(const std::filesystem::path&, const std::vector<std::string>& names,
                       const Values& values, const Values& own);

// `own`: the module's, as writeRegionInputs was given them. Throws Error for what is no such file.
Values readRegionInputs(const std::filesystem::path&, const Values& own);

}  // namespace kadvise
