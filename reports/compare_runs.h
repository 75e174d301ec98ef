// What the newer of two runs lost and gained, worst first.
#pragma once

#include "reports/report.h"

namespace kadvise {

// Files of other names with other parameters hold two modules: nothing of one is a loss of the other.
bool areOfOneModule(const Report& old, const Report& fresh);

// The new report with its comparison to the old one. The paths are for the words only.
Report comparedRuns(const Report& old, const std::string& oldPath, Report fresh, const std::string& newPath);

}  // namespace kadvise
