#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/baseline.h"
#include "reports/counts.h"
#include "reports/headline.h"
#include "reports/ranking.h"
#include "reports/sections.h"
#include "reports/xml_text.h"

namespace kadvise {
namespace {

enum class Result { Passed, Failed, Error, Skipped };

struct TestCase {
  std::string className, name;
  Result result = Result::Passed;
  std::string why, details;
};

// What became of outputs: a run that could not tell has not passed.
Result resultOf(const Verdict& v) {
  if (v.outcome == Outcome::WrongOutput) return Result::Failed;
  if (v.outcome == Outcome::Failed) return Result::Error;
  return v.outcome == Outcome::NotRun && !outputsEqual(v) ? Result::Skipped : Result::Passed;
}

TestCase caseOfVerdict(const char* className, const std::string& name, const Verdict& v,
                       const std::string& words) {
  auto result = resultOf(v);
  return {className, name, result, result == Result::Passed ? "" : words, ""};
}

// Of `verify`: as its exit code has it, what is undecided is no pass.
TestCase caseOf(const PairCheck& pair, const Report& r) {
  TestCase out{"kadvise.verify", "outputs of " + pair.against, Result::Passed, "", ""};
  if (outputsEqual(r.whole)) return out;
  bool isCaught = pair.sanitizer && pair.sanitizer->errors > 0 && r.whole.outcome == Outcome::Failed;
  bool isWrong = r.whole.outcome == Outcome::WrongOutput || isCaught;
  out.result = isWrong ? Result::Failed : Result::Error;
  out.why = pairHeadline(pair, r.whole).text;
  return out;
}

TestCase caseOf(const std::string& kind, const ComponentProperty& p) {
  auto result = p.status == "pass"      ? Result::Passed
                : p.status == "fail"    ? Result::Failed
                : p.status == "skipped" ? Result::Skipped
                                        : Result::Error;
  return {"kadvise.component." + kind, p.name, result, result == Result::Passed ? "" : p.figures, ""};
}

TestCase caseOf(const Gate& gate, const Report& r, const Finding& f) {
  TestCase out{f.rule, f.message + " at " + siteWords(f.where, 1 + f.related.size()), Result::Passed, "", ""};
  if (fails(gate, r, f)) out.result = Result::Failed, out.why = f.message, out.details = f.where.snippet;
  if (auto* s = suppressionOf(r, f.id)) out.result = Result::Skipped, out.why = s->reason;
  return out;
}

// What the command was asked for, beside findings.
void addVerdicts(std::vector<TestCase>& out, const Report& r) {
  if (r.component)
    for (auto& p : r.component->properties) out.push_back(caseOf(r.component->kind, p));
  if (r.pair) out.push_back(caseOf(*r.pair, r));
  if (r.levels)
    for (auto& row : *r.levels)
      if (row.level > 0)
        out.push_back(caseOfVerdict("kadvise.level", row.name, row.verdict,
                                    std::string(word(row.verdict.outcome)) + ": " + row.verdict.reason));
  if (r.pair || ofAnotherCommand(r)) return;
  out.push_back(
      caseOfVerdict("kadvise.module", "outputs of the optimised module", r.whole, headline(r).text));
  if (!r.output) return;
  auto result = r.output->written ? Result::Passed : Result::Failed;
  out.push_back({"kadvise.module", r.output->path + " is written", result, r.output->reason, ""});
}

void addChanges(std::vector<TestCase>& out, const RunComparison& c, const Gate& gate) {
  for (auto& change : c.regressions)
    out.push_back({"kadvise.regression." + change.kind, change.what,
                   gate.isRegression ? Result::Failed : Result::Passed, change.before + " → " + change.after,
                   change.rule});
  for (auto& change : c.found) {
    bool isFailing = gate.failOn && severityFrom(change.kind) >= *gate.failOn;
    out.push_back({change.rule, change.what, isFailing ? Result::Failed : Result::Passed, "new finding", ""});
  }
}

std::vector<TestCase> casesOf(const Report& r, const Gate& gate) {
  std::vector<TestCase> out;
  addVerdicts(out, r);
  for (auto& e : r.errors) out.push_back({"kadvise.error", e.where, Result::Error, e.what, ""});
  if (r.comparison) addChanges(out, *r.comparison, gate);
  else
    for (auto& f : r.findings) out.push_back(caseOf(gate, r, f));
  return out;
}

std::string textOf(const TestCase& c) {
  std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xmlText(c.className), xmlText(c.name));
  if (c.result == Result::Passed) return head + "/>\n";
  if (c.result == Result::Skipped)
    return fmt::format("{}><skipped message=\"{}\"/></testcase>\n", head, xmlText(c.why));
  const char* kind = c.result == Result::Error ? "error" : "failure";
  return fmt::format("{}><{} message=\"{}\">{}</{}></testcase>\n", head, kind, xmlText(c.why),
                     xmlText(c.details), kind);
}

std::string propertiesOf(const Report& r) {
  std::string out;
  auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty())
      out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xmlText(value));
  };
  add("headline", headlineOfRun(r).text);
  add("figures", wholeFigures(r));
  add("device", r.device.kind.empty() ? "" : deviceWords(r));
  add("found", countWords(r));
  return out.empty() ? "" : "    <properties>\n" + out + "    </properties>\n";
}

}  // namespace

bool fails(const Gate& gate, const Report& r, const Finding& f) {
  return gate.failOn && f.severity >= *gate.failOn && counts(r, f);
}

std::string renderJUnit(const Report& r, const Gate& gate) {
  std::string body = propertiesOf(r);
  auto cases = casesOf(r, gate);
  for (auto& c : cases) body += textOf(c);
  auto count = [&](Result result) {
    return std::count_if(cases.begin(), cases.end(), [&](auto& c) { return c.result == result; });
  };
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"kadvise {}\" "
      "tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      xmlText(r.subject.path), cases.size(), count(Result::Failed), count(Result::Error),
      count(Result::Skipped), body);
}

}  // namespace kadvise
