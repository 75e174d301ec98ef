#include <algorithm>

#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/interrupt.h"
#include "analyzer/print.h"
#include "analyzer/progress_line.h"

namespace kadvise {
namespace {

constexpr int kFailed = 1, kUndecided = 2;

int exitCode(const Report& report) {
  auto any = [&](const char* status) {
    auto& all = report.component->properties;
    return std::any_of(all.begin(), all.end(), [&](auto& p) { return p.status == status; });
  };
  if (any("fail")) return kFailed;
  return report.errors.empty() && !any("unknown") ? 0 : kUndecided;
}

}  // namespace

int verify(CommandLine& line) {
  line.subject.path = line.arguments.front();
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  Report report =
      CompilerOptimizationAssistant(line.assistant).examine(line.subject, line.component, line.heads);
  progress.clear();
  printReport(report, line);
  if (line.quiet || line.json == "-")
    for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
  return exitCode(report);
}

}  // namespace kadvise
