#include <algorithm>

#include "analyzer/commands.h"
#include "analyzer/interrupt.h"
#include "analyzer/print.h"
#include "analyzer/progress_line.h"

namespace kadvise {

int bench(CommandLine& line) {
  constexpr int kCouldNotRun = 2;
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  Report report = benchOperator(line.assistant, line.subject, line.arguments.front(), line.bench);
  progress.clear();
  printReport(report, line);
  if (line.quiet || line.json == "-")
    for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
  auto& rows = report.bench->rows;
  bool isAnyMeasured = std::any_of(rows.begin(), rows.end(), [](auto& r) { return r.refused.empty(); });
  return report.errors.empty() && isAnyMeasured ? 0 : kCouldNotRun;
}

}  // namespace kadvise
