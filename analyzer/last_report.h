#pragma once

#include <filesystem>

#include "reports/report.h"

namespace kadvise {

// The folder .kadvise of the working folder, which ignores itself in git; made when it is not there. Throws Error.
std::filesystem::path keptFolder();

// Keeps the report as last.json there. Throws Error.
void keepLastReport(const Report&);

}  // namespace kadvise
