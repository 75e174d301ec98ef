#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/module_profile.h"
#include "analyzer/reported_run.h"
#include "analyzer/subject_check.h"

namespace kadvise {

int profile(CommandLine& line) {
  constexpr int kCouldNotRun = 2;
  line.subject.path = line.arguments.front();
  Report report =
      withProgress(line, [&] { return profileModule(line.assistant, checked(line.subject), line.profile); });
  printReport(report, line);
  warnOfErrors(report, line);
  return report.errors.empty() ? 0 : kCouldNotRun;
}

}  // namespace kadvise
