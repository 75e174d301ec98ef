#include <algorithm>

#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/print.h"
#include "analyzer/terminal.h"
#include "analyzer/view_files.h"
#include "reports/compare_runs.h"
#include "reports/lint_formats.h"
#include "reports/sections.h"
#include "reports/text.h"

namespace kadvise {
namespace {

// Of one run nothing can be a regression.
void requireTwo(const CommandLine& line) {
  if (line.failsOnRegression && line.arguments.size() < 2)
    throw Error("--fail-on regression", "compares two runs: kadvise report OLD NEW");
}

Report askedFor(const CommandLine& line) {
  auto& paths = line.arguments;
  if (paths.size() < 2) return readReport(paths.front());
  Report old = readReport(paths[0]), fresh = readReport(paths[1]);
  if ((line.failsOnRegression || line.failOn) && !areOfOneModule(old, fresh))
    throw Error(paths[1], "is of " + fresh.subject.path + ", and " + paths[0] + " of " + old.subject.path +
                              ", another module: --fail-on compares two runs of one");
  return comparedRuns(old, paths[0], std::move(fresh), paths[1]);
}

// What makes the exit code 1; 0 of them where --fail-on asks for nothing.
std::size_t failures(const Report& r, const CommandLine& line) {
  if (line.failsOnRegression) return r.comparison->regressions.size();
  if (!line.failOn) return 0;
  if (r.comparison) {
    auto& found = r.comparison->found;
    return static_cast<std::size_t>(std::count_if(
        found.begin(), found.end(), [&](auto& c) { return severityFrom(c.kind) >= *line.failOn; }));
  }
  auto gate = gateOf(line);
  return static_cast<std::size_t>(
      std::count_if(r.findings.begin(), r.findings.end(), [&](auto& f) { return fails(gate, r, f); }));
}

TextStyle styleOf(const CommandLine& line) {
  return {terminalWidth(1), line.color == Color::Always || (line.color == Color::Auto && wantsColors(1)),
          line.verbose};
}

int renderLintReport(const CommandLine& line) {
  if (line.arguments.size() > 1)
    throw Error(line.arguments[0],
                "is a report of kadvise lint; two of them are not compared: see --baseline");
  if (line.failsOnRegression)
    throw Error("--fail-on regression", "compares two runs over a module, and " + line.arguments[0] +
                                            " is a report of kadvise lint: see --baseline");
  LintReport report = readLintReport(line.arguments[0]);
  if (line.failOn) report.failOn = line.failOn;
  writeViews(report, line);
  std::string json = toText(Json(report));
  if (line.json == "-") print(json);
  else if (!line.json.empty()) writeFile(line.json, json);
  if (!line.quiet && line.json != "-" && !isViewPrinted(line)) print(lintText(report, styleOf(line)));
  if (!line.failOn) return 0;
  std::size_t found = 0;
  for (auto& file : report.files)
    for (auto& f : file.findings) found += f.severity >= *line.failOn;
  return found ? 1 : 0;
}

}  // namespace

void printReport(const Report& report, const CommandLine& line) {
  writeViews(report, line);
  if (line.json == "-") return print(toText(report));
  if (!line.json.empty()) writeFile(line.json, toText(report));
  if (line.quiet || isViewPrinted(line)) return;
  print(renderText(report, styleOf(line)));
}

// On a terminal the report has just said them; where it goes into a file or a pipe they would pass unseen.
void warnOfErrors(const Report& report, const CommandLine& line) {
  bool isSeen =
      !line.quiet && line.json != "-" && !isViewPrinted(line) && (isTerminal(1) || isSameFile(1, 2));
  if (isSeen) return;
  for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
}

int renderReport(const CommandLine& line) {
  if (isLintReport(line.arguments.front())) return renderLintReport(line);
  requireTwo(line);
  Report report = askedFor(line);
  printReport(report, line);
  auto found = failures(report, line);
  if (!found) return 0;
  warn("--fail-on: " + plural(found, line.failsOnRegression ? "regression" : "finding"));
  return 1;
}

}  // namespace kadvise
