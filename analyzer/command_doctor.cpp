#include "analyzer/commands.h"
#include "analyzer/health_check.h"
#include "analyzer/reported_run.h"

namespace kadvise {

int doctor(CommandLine& line) {
  constexpr int kUnusable = 1;
  Report report = withProgress(line, [&] { return checkHealth(line.assistant); });
  printReport(report, line);
  return isUsable(*report.health) ? 0 : kUnusable;
}

}  // namespace kadvise
