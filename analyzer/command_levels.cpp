#include "analyzer/commands.h"
#include "analyzer/interrupt.h"
#include "analyzer/level_table.h"
#include "analyzer/print.h"
#include "analyzer/progress_line.h"
#include "analyzer/subject_check.h"

namespace kadvise {

int levels(CommandLine& line) {
  constexpr int kCouldNotRun = 2;
  line.subject.path = line.arguments.front();
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  Report report = levelsOf(line.assistant, checked(line.subject));
  progress.clear();
  printReport(report, line);
  if (line.quiet || line.json == "-")
    for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
  return report.errors.empty() ? 0 : kCouldNotRun;
}

}  // namespace kadvise
