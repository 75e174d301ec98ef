// What each command does; the result is the exit code. They throw Error and Interrupted.
#pragma once

#include "analyzer/options.h"

namespace kadvise {

int advise(CommandLine&);
int listRules(const CommandLine&);
int showRules(const CommandLine&);
int testRules(CommandLine&);
int verify(CommandLine&);
int whyNot(CommandLine&);
int profile(CommandLine&);
int levels(CommandLine&);
int bench(CommandLine&);
int doctor(CommandLine&);
int lintSources(CommandLine&);
int serveEditor(CommandLine&);
int renderReport(const CommandLine&);

// Shared by those that print a report.
void printReport(const Report&, const CommandLine&);
// Where nobody reads the text: the report's errors, on standard error.
void warnOfErrors(const Report&, const CommandLine&);

}  // namespace kadvise
