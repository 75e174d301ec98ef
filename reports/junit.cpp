#include "reports/junit.h"

#include <fmt/format.h>

#include "reports/baseline.h"
#include "reports/headline.h"
#include "reports/sections.h"
#include "reports/xml_text.h"

namespace kadvise {
namespace {

struct TestCase {
  std::string className, name;
  std::string failure, details;  // failure "": it passed
  bool isError = false;          // could not be run
  bool isSkipped = false;
};

TestCase caseOf(const Gate& gate, const Report& r, const Finding& f) {
  TestCase out{f.rule, f.message + " at " + siteWords(f.where, 1 + f.related.size()), "", "", false, false};
  if (fails(gate, r, f)) out.failure = f.message, out.details = f.where.snippet;
  out.isSkipped = suppressionOf(r, f.id) != nullptr;
  return out;
}

std::vector<TestCase> casesOf(const Report& r, const Gate& gate) {
  std::vector<TestCase> out;
  TestCase whole{"kadvise.module", "outputs of the optimised module", "", "", false, false};
  if (r.whole.outcome == Outcome::WrongOutput) whole.failure = headline(r).text;
  out.push_back(whole);
  for (auto& e : r.errors) out.push_back({"kadvise.error", e.where, e.what, "", true, false});
  if (!r.comparison) {
    for (auto& f : r.findings) out.push_back(caseOf(gate, r, f));
    return out;
  }
  for (auto& c : r.comparison->regressions)
    out.push_back({"kadvise.regression." + c.kind, c.what,
                   gate.isRegression ? c.before + " → " + c.after : "", c.rule, false, false});
  for (auto& c : r.comparison->found) {
    bool isFailing = gate.failOn && severityFrom(c.kind) >= *gate.failOn;
    out.push_back({c.rule, c.what, isFailing ? "new finding" : "", "", false, false});
  }
  return out;
}

std::string textOf(const TestCase& c) {
  std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xmlText(c.className), xmlText(c.name));
  if (c.isSkipped) return head + "><skipped/></testcase>\n";
  if (c.failure.empty()) return head + "/>\n";
  return fmt::format("{}><{} message=\"{}\">{}</{}></testcase>\n", head, c.isError ? "error" : "failure",
                     xmlText(c.failure), xmlText(c.details), c.isError ? "error" : "failure");
}

}  // namespace

bool fails(const Gate& gate, const Report& r, const Finding& f) {
  return gate.failOn && f.severity >= *gate.failOn && counts(r, f);
}

std::string renderJUnit(const Report& r, const Gate& gate) {
  std::size_t failures = 0, errors = 0, skipped = 0;
  std::string body;
  auto cases = casesOf(r, gate);
  for (auto& c : cases) {
    skipped += c.isSkipped;
    if (!c.isSkipped && !c.failure.empty()) ++(c.isError ? errors : failures);
    body += textOf(c);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"kadvise {}\" "
      "tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      xmlText(r.subject.path), cases.size(), failures, errors, skipped, body);
}

}  // namespace kadvise
