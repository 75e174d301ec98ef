#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analyzer/commands.h"
#include "analyzer/configured.h"
#include "analyzer/core/file.h"
#include "analyzer/lint/lint_run.h"
#include "analyzer/lint/unused_suppression.h"
#include "analyzer/print.h"
#include "analyzer/reported_run.h"
#include "analyzer/rule_selection.h"
#include "analyzer/terminal.h"
#include "analyzer/view_files.h"
#include "reports/lint_formats.h"
#include "reports/lint_summary.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr int kFound = 1, kCouldNotRun = 2;
constexpr std::size_t kFewFiles = 10;

int explain(const CommandLine& line) {
  if (line.lint.explain == kUnusedSuppression) {
    print(kAboutUnusedSuppression);
    return 0;
  }
  Catalogue book = loadCatalogue(ruleFolders(findInstallation(ownFolder()), line.assistant.rules));
  auto* page = book.find(line.lint.explain);
  if (!page)
    throw Error("--explain " + line.lint.explain,
                "is not in the rule book; " + remedyFor(book, line.lint.explain));
  print(readFile(page->path));
  return 0;
}

TextStyle styleOf(const CommandLine& line) {
  bool colored = line.color == Color::Always || (line.color == Color::Auto && wantsColors(STDOUT_FILENO));
  return {terminalWidth(STDOUT_FILENO), colored, line.verbose};
}

std::string rendered(const LintReport& report, const CommandLine& line) {
  if (line.lint.diff) {
    std::string out;
    for (auto& f : report.fixed) out += f.diff;
    return out;
  }
  if (line.lint.statistics) return lintStatistics(report, line.lint.format);
  return renderLint(report, line.lint.format, styleOf(line));
}

void deliver(const LintReport& report, const CommandLine& line) {
  writeViews(report, line);
  if (report.fixedInput) print(*report.fixedInput);
  if (isViewPrinted(line)) return;
  std::string text = rendered(report, line);
  if (!line.lint.outputFile.empty()) writeFile(line.lint.outputFile, text);
  else if (report.fixedInput) line.quiet ? void() : printError(text);
  else if (!line.quiet || line.lint.format != "text" || line.lint.statistics || line.lint.diff) print(text);
}

bool counts(const LintReport& report, const CommandLine& line) {
  if (line.lint.diff) return !report.fixed.empty();
  // What is written down as known is no reason to fail.
  if (!line.failOn || line.lint.exitZero || !line.assistant.writeBaseline.empty()) return false;
  return std::any_of(report.files.begin(), report.files.end(), [&](auto& file) {
    return std::any_of(file.findings.begin(), file.findings.end(),
                       [&](auto& f) { return f.severity >= *line.failOn; });
  });
}

}  // namespace

int lintSources(CommandLine& line) {
  if (!line.lint.explain.empty()) return explain(line);
  bool countsAsText = line.lint.format == "text" || line.lint.format == "json";
  if (line.lint.statistics && !countsAsText)
    throw Error("--statistics", "is text or json, not " + line.lint.format);
  applyConfiguration(line);
  line.lint.writeBaseline = line.assistant.writeBaseline;
  LintReport report = withProgress(line, [&] { return lint(line.lint, line.assistant); });
  report.tool = {"kadvise", KADVISE_VERSION};
  report.failOn = line.failOn;
  deliver(report, line);
  bool isText =
      line.lint.format == "text" && !line.lint.statistics && !line.lint.diff && line.lint.outputFile.empty();
  if (!isText || line.quiet)
    for (auto& e : report.errors) warn(e.where + ": " + e.what);
  // The patch has the fixes that are safe; the rest would seem not to be there.
  if (line.lint.diff && !line.quiet && !report.files.empty()) warn(lintSummary(report));
  if (line.lint.statistics && !line.quiet)
    for (auto& note : report.notes) warn(note);
  if (!tellsParseErrors(line.lint.format) && !line.lint.statistics && !line.lint.diff)
    for (auto& e : firstErrors(report, kFewFiles)) warn("did not parse cleanly: " + e);
  if (!report.errors.empty()) return kCouldNotRun;
  return counts(report, line) ? kFound : 0;
}

}  // namespace kadvise
