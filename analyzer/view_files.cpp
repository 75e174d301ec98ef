#include "analyzer/view_files.h"

#include <cstdlib>
#include <fstream>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/option_groups.h"
#include "analyzer/print.h"
#include "reports/lint_formats.h"
#include "reports/markdown.h"
#include "reports/page.h"
#include "reports/sarif.h"

namespace kadvise {
namespace {

void put(const std::string& path, const std::string& text) {
  if (path == "-") print(text);
  else writeFile(path, text);
}

// Other steps have written there, too.
void append(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::app | std::ios::binary);
  out << text;
  if (!out.flush()) throw Error(path, "cannot be written");
}

}  // namespace

bool isViewPrinted(const CommandLine& line) {
  auto& v = line.views;
  return v.page == "-" || v.markdown == "-" || v.sarif == "-" || v.junit == "-";
}

Gate gateOf(const CommandLine& line) { return {line.failOn, line.failsOnRegression}; }

void writeViews(const Report& report, const CommandLine& line) {
  auto& v = line.views;
  if (!v.page.empty()) put(v.page, renderPage(report));
  if (!v.markdown.empty()) put(v.markdown, renderMarkdown(report));
  if (!v.sarif.empty()) put(v.sarif, toText(toSarif(report)));
  if (!v.junit.empty()) put(v.junit, renderJUnit(report, gateOf(line)));
  if (v.isStepSummary) append(std::getenv(kStepSummary), renderMarkdown(report));
}

void writeViews(const LintReport& report, const CommandLine& line) {
  auto& v = line.views;
  if (!v.page.empty()) put(v.page, renderPage(report));
  if (!v.markdown.empty()) put(v.markdown, lintMarkdown(report));
  if (!v.sarif.empty()) put(v.sarif, lintSarif(report));
  if (!v.junit.empty()) put(v.junit, lintJunit(report));
  if (v.isStepSummary) append(std::getenv(kStepSummary), lintMarkdown(report));
}

}  // namespace kadvise
