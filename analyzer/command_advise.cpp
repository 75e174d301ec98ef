#include <algorithm>
#include <map>

#include "analyzer/commands.h"
#include "analyzer/configured.h"
#include "analyzer/core/error.h"
#include "analyzer/interrupt.h"
#include "analyzer/last_report.h"
#include "analyzer/print.h"
#include "analyzer/reported_run.h"
#include "reports/baseline.h"
#include "reports/found_rows.h"
#include "reports/sections.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

void takeModel(CommandLine& line) {
  if (line.arguments.empty())
    throw Error(
        "", "name a TorchScript module (.pt) or an exported program (.pt2); `kadvise --help` shows examples");
  if (line.arguments.front().empty())
    throw Error("",
                "the name of the module is empty; name a TorchScript module (.pt) or an exported program");
  line.subject.path = line.arguments.front();
  if (!line.subject.path.has_extension() && !fs::exists(line.subject.path))
    throw Error(line.arguments.front(),
                "is neither a command nor a file; `kadvise --help` shows what there is");
  if (line.arguments.size() > 1)
    throw Error(line.arguments[1],
                "is a second file; kadvise takes one module at a time, and `kadvise lint` reads sources");
}

// Writing a baseline is accepting what it holds.
std::vector<const Finding*> failing(const Report& report, const CommandLine& line) {
  std::vector<const Finding*> out;
  if (!line.failOn || !line.assistant.writeBaseline.empty()) return out;
  for (auto& f : report.findings)
    if (f.severity >= *line.failOn && counts(report, f)) out.push_back(&f);
  return out;
}

int exitCode(const Report& report, const CommandLine& line) {
  if (!report.errors.empty()) return 2;
  if (report.output && !report.output->written) return 1;
  return failing(report, line).empty() ? 0 : 1;
}

// Why the exit code is 1, for the log of a continuous build: the report may be far above it, or not printed
// at all.
void sayWhatFails(const Report& report, const CommandLine& line) {
  auto found = failing(report, line);
  if (found.empty()) return;
  std::map<Severity, std::size_t> counted;
  for (auto* f : found) ++counted[f->severity];
  std::string numbers;
  for (auto it = counted.rbegin(); it != counted.rend(); ++it)
    numbers +=
        (numbers.empty() ? "" : ", ") + plural(it->second, "finding") + " of severity " + word(it->first);
  auto first = std::max_element(found.begin(), found.end(),
                                [](auto* a, auto* b) { return a->severity < b->severity; });
  warn("--fail-on " + std::string(word(*line.failOn)) + ": " + numbers + "; the first is " + (*first)->rule +
       " at " + siteWords((*first)->where, sitesOf(**first)));
}

// A baseline holds what is not suppressed; what was in it of other modules stays.
void sayBaseline(const Report& report, const CommandLine& line) {
  if (line.quiet || line.assistant.writeBaseline.empty() || !report.errors.empty()) return;
  auto n = std::count_if(report.findings.begin(), report.findings.end(),
                         [&](auto& f) { return f.round == 1 && !suppressionOf(report, f.id); });
  warn("wrote " + plural(static_cast<std::size_t>(n), "finding") + " to the baseline " +
       line.assistant.writeBaseline.string());
}

}  // namespace

int advise(CommandLine& line) {
  takeModel(line);
  applyConfiguration(line);
  Report report = withProgress(line, [&] {
    CompilerOptimizationAssistant assistant(line.assistant);
    return line.apply ? assistant.optimize(line.subject, line.output) : assistant.analyze(line.subject);
  });
  printReport(report, line);
  try {
    if (!keepLastReport(report) && line.verbose)
      warn(".kadvise/last.json still holds the last run that measured something");
  } catch (const Error& e) {
    warn("the last report could not be kept: " + std::string(e.what()));
  }
  warnOfErrors(report, line);
  sayBaseline(report, line);
  sayWhatFails(report, line);
  if (int signal = interruptSignal()) {  // the report is of what had been proven by then
    warn("interrupted");
    return kSignalBase + signal;
  }
  return exitCode(report, line);
}

}  // namespace kadvise
