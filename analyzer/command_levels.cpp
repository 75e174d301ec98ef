#include "analyzer/commands.h"
#include "analyzer/interrupt.h"
#include "analyzer/level_table.h"
#include "analyzer/reported_run.h"
#include "analyzer/subject_check.h"

namespace kadvise {

int levels(CommandLine& line) {
  constexpr int kCouldNotRun = 2;
  line.subject.path = line.arguments.front();
  Report report = withProgress(line, [&] { return levelsOf(line.assistant, checked(line.subject)); });
  printReport(report, line);
  warnOfErrors(report, line);
  if (int signal = interruptSignal()) return kSignalBase + signal;  // the report is of the rows done by then
  return report.errors.empty() ? 0 : kCouldNotRun;
}

}  // namespace kadvise
