#pragma once

#include "reports/report.h"

namespace kadvise {

// Keeps the report as .kadvise/last.json of the working folder, which ignores itself in git. Throws Error.
void keepLastReport(const Report&);

}  // namespace kadvise
