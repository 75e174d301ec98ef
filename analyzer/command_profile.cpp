#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/interrupt.h"
#include "analyzer/module_profile.h"
#include "analyzer/print.h"
#include "analyzer/progress_line.h"
#include "analyzer/subject_check.h"

namespace kadvise {

int profile(CommandLine& line) {
  constexpr int kCouldNotRun = 2;
  line.subject.path = line.arguments.front();
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  Report report = profileModule(line.assistant, checked(line.subject), line.profile);
  progress.clear();
  printReport(report, line);
  if (line.quiet || line.json == "-")
    for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
  return report.errors.empty() ? 0 : kCouldNotRun;
}

}  // namespace kadvise
