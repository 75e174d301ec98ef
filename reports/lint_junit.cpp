// A lint run for the gate of a continuous build: a test case for each finding, failed where it makes the exit
// code 1 and else passed with its words, and one for each file without.
#include <fmt/format.h>

#include "reports/lint_formats.h"
#include "reports/lint_summary.h"
#include "reports/xml_text.h"

namespace kadvise {
namespace {

struct Cases {
  std::string text;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

void addError(Cases& out, const std::string& where, const std::string& what) {
  ++out.tests, ++out.errors;
  out.text += fmt::format(
      "    <testcase name=\"read\" classname=\"{0}\" file=\"{0}\"><error message=\"{1}\"/></testcase>\n",
      xmlText(where), xmlText(what));
}

// Silence about a file that did not parse is no praise of it.
void addFileWithout(Cases& out, const LintedFile& file) {
  ++out.tests;
  auto name = xmlText(file.path);
  if (file.errorCount == 0) {
    out.text += fmt::format("    <testcase name=\"clean\" classname=\"{0}\" file=\"{0}\"/>\n", name);
    return;
  }
  ++out.skipped;
  std::string why = fmt::format(
      "{} error{} of the language, the first at line {}: what is around them is not looked at",
      file.errorCount, file.errorCount == 1 ? "" : "s", file.errors.empty() ? 0 : file.errors.front().line);
  out.text += fmt::format(
      "    <testcase name=\"clean\" classname=\"{0}\" file=\"{0}\"><skipped message=\"{1}\"/></testcase>\n",
      name, xmlText(why));
}

void addFinding(Cases& out, const LintedFile& file, const Finding& f, bool isFailure) {
  ++out.tests, out.failures += isFailure;
  out.text +=
      fmt::format("    <testcase name=\"{}:{}\" classname=\"{}\" file=\"{}\" line=\"{}\">", xmlText(f.rule),
                  f.where.line, xmlText(file.path), xmlText(f.where.file), f.where.line);
  if (isFailure)
    out.text += fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n", word(f.severity),
                            xmlText(f.message), xmlText(f.where.snippet));
  else
    out.text += fmt::format("<system-out>{}: {}\n{}</system-out></testcase>\n", word(f.severity),
                            xmlText(f.message), xmlText(f.where.snippet));
}

}  // namespace

std::string lintJunit(const LintReport& report) {
  Cases cases;
  for (auto* e : errorsOfNoFile(report)) addError(cases, e->where, e->what);
  for (auto& file : report.files) {
    if (!file.failure.empty()) addError(cases, file.path, file.failure);
    else if (file.findings.empty()) addFileWithout(cases, file);
    for (auto& f : file.findings) addFinding(cases, file, f, report.failOn && f.severity >= *report.failOn);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"kadvise lint\" "
      "tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n    <properties>\n      <property name=\"summary\" "
      "value=\"{}\"/>\n    </properties>\n{}  </testsuite>\n</testsuites>\n",
      cases.tests, cases.failures, cases.errors, cases.skipped, xmlText(lintSummary(report)), cases.text);
}

}  // namespace kadvise
