#include "analyzer/commands.h"
#include "analyzer/health_check.h"
#include "analyzer/interrupt.h"
#include "analyzer/progress_line.h"

namespace kadvise {

int doctor(CommandLine& line) {
  constexpr int kUnusable = 1;
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  Report report = checkHealth(line.assistant);
  progress.clear();
  printReport(report, line);
  return isUsable(*report.health) ? 0 : kUnusable;
}

}  // namespace kadvise
