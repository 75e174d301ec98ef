// The forms of a report that a command line asks for as files.
#pragma once

#include "analyzer/options.h"
#include "reports/junit.h"
#include "reports/lint_report.h"

namespace kadvise {

// Throws Error where a file cannot be written.
void writeViews(const Report&, const CommandLine&);
void writeViews(const LintReport&, const CommandLine&);

// One of them goes to standard output, which then holds nothing else.
bool isViewPrinted(const CommandLine&);

Gate gateOf(const CommandLine&);

}  // namespace kadvise
