#include <algorithm>

#include "analyzer/commands.h"
#include "analyzer/reported_run.h"

namespace kadvise {

int bench(CommandLine& line) {
  constexpr int kCouldNotRun = 2;
  Report report = withProgress(line, [&] {
    return benchOperator(line.assistant, line.subject, line.arguments.empty() ? "" : line.arguments.front(),
                         line.bench);
  });
  printReport(report, line);
  warnOfErrors(report, line);
  auto& rows = report.bench->rows;
  bool isAnyMeasured = std::any_of(rows.begin(), rows.end(), [](auto& r) { return r.refused.empty(); });
  return report.errors.empty() && isAnyMeasured ? 0 : kCouldNotRun;
}

}  // namespace kadvise
