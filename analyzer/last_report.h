#pragma once

#include <filesystem>
#include <optional>

#include "reports/report.h"

namespace kadvise {

// The folder .kadvise of the working folder, which ignores itself in git; made when it is not there. Throws
// Error, also where it is a link.
std::filesystem::path keptFolder();

// What the last run over this module measured; none when it was of another module, or the file has changed
// since.
std::optional<Report> lastReportOf(const std::filesystem::path& module);

// Keeps the report as last.json there, unless it has measured nothing and would take the place of one that
// has. Answers whether it is kept. Throws Error.
bool keepLastReport(const Report&);

}  // namespace kadvise
