#include "analyzer/commands.h"
#include "analyzer/configured.h"
#include "analyzer/core/error.h"
#include "analyzer/interrupt.h"
#include "analyzer/last_report.h"
#include "analyzer/print.h"
#include "analyzer/progress_line.h"
#include "reports/baseline.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

void takeModel(CommandLine& line) {
  if (line.arguments.empty())
    throw Error("", "name a TorchScript module (.pt) or an exported program (.pt2); `kadvise --help` shows examples");
  line.subject.path = line.arguments.front();
  if (!line.subject.path.has_extension() && !fs::exists(line.subject.path))
    throw Error(line.arguments.front(),
                "is neither a command nor a file; `kadvise --help` shows what there is");
  if (line.arguments.size() > 1)
    throw Error(line.arguments[1],
                "is a second file; kadvise takes one module at a time (source files are not supported yet)");
}

int exitCode(const Report& report, const CommandLine& line) {
  if (!report.errors.empty()) return 2;
  if (report.output && !report.output->written) return 1;
  // Writing a baseline is accepting what it holds.
  if (line.failOn && line.assistant.writeBaseline.empty())
    for (auto& f : report.findings)
      if (f.severity >= *line.failOn && counts(report, f)) return 1;
  return 0;
}

}  // namespace

int advise(CommandLine& line) {
  takeModel(line);
  applyConfiguration(line);
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  CompilerOptimizationAssistant assistant(line.assistant);
  Report report =
      line.apply ? assistant.optimize(line.subject, line.output) : assistant.analyze(line.subject);
  progress.clear();
  printReport(report, line);
  try {
    keepLastReport(report);
  } catch (const Error& e) {
    warn("the last report could not be kept: " + std::string(e.what()));
  }
  // Nobody reads the text then: say on standard error what went wrong.
  if (line.quiet || line.json == "-")
    for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
  return exitCode(report, line);
}

}  // namespace kadvise
