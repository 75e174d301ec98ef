#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/last_report.h"
#include "analyzer/reported_run.h"
#include "reports/text.h"

namespace kadvise {
namespace {

constexpr int kCouldNotRun = 2;
constexpr int kPlacesOfOne = 3, kPlacesOfAll = 1;  // of the nearest misses, of each rule

// [RULE] MODEL; rules may be named by --rule too.
void takeArguments(CommandLine& line) {
  auto& arguments = line.arguments;
  line.subject.path = arguments.back();
  if (arguments.size() == 2) line.assistant.select.insert(line.assistant.select.begin(), arguments.front());
  line.assistant.mostNear = line.assistant.select.empty() ? kPlacesOfAll : kPlacesOfOne;
}

}  // namespace

int whyNot(CommandLine& line) {
  takeArguments(line);
  line.assistant.verify = false;
  Report report =
      withProgress(line, [&] { return CompilerOptimizationAssistant(line.assistant).analyze(line.subject); });
  if (auto last = lastReportOf(line.subject.path); last && report.whyNot)
    report.whyNot->earlier = itemsOf(*last, report.whyNot->rules);
  printReport(report, line);
  warnOfErrors(report, line);
  return report.errors.empty() ? 0 : kCouldNotRun;
}

}  // namespace kadvise
