// The report for other readers than a terminal.
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/page.h"
#include "reports/sarif.h"
#include "reports/view.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

std::size_t countOf(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(View, HasEachItemOnceWithTheWordsOfTheText) {
  Report r = sampleReport();
  Json view = viewOf(r);
  std::string text = rendered(r, {100'000, false, true});
  ASSERT_EQ(view["items"].size(), 4u);  // three proposals, and one finding to change by hand
  for (auto& item : view["items"]) {
    EXPECT_HAS(text, item["message"].get<std::string>().substr(0, 10));
    EXPECT_HAS(text, flat(item["figures"]));
  }
  EXPECT_EQ(view["items"][0]["anchor"], "finding-F2");
  EXPECT_EQ(view["items"][0]["standing"], "advised");
  EXPECT_EQ(view["items"][3]["standing"], "by-hand");
}

TEST(View, AnchorsAreUniqueWhereCandidatesShareAFinding) {
  Report r = sampleReport();
  r.candidates[0].findings = {"F2"};
  Json items = viewOf(r)["items"];
  EXPECT_NE(items[0]["anchor"], items[1]["anchor"]);
}

TEST(View, TheCommandForOneRuleWritesNoFiles) {
  Report r = sampleReport();
  r.command = {"kadvise", "m.pt", "--json", "a.json",  "--report=x.html",
               "--apply", "-o",   "f.pt",   "--input", "int64[2]<9"};
  EXPECT_EQ(commandFor(r, "fusion/a"), "kadvise m.pt --input 'int64[2]<9' --select fusion/a");
}

TEST(Page, DataCannotEndItsElement) {
  if (pageTemplate().empty()) GTEST_SKIP() << whyNoPage();
  Report r = sampleReport();
  r.subject.path = "</script><script>alert(1)</script><!--";
  r.findings[0].message = "\xff\xfe & <b>";
  std::string page = renderPage(r), empty = pageTemplate();
  EXPECT_EQ(countOf(page, "</script"), countOf(empty, "</script"));
  EXPECT_EQ(countOf(page, "<!--"), countOf(empty, "<!--"));
  EXPECT_HAS(page, "\\u003c/script\\u003e");
  EXPECT_LT(empty.size(), std::size_t{1} << 20);
}

TEST(Page, LoadsNothingAndAllowsOnlyItsOwnScript) {
  std::string page = pageTemplate();
  if (page.empty()) GTEST_SKIP() << whyNoPage();
  EXPECT_HAS(page, "default-src 'none'; script-src 'sha256-");
  for (auto* part : {"<script src", "<link rel=\"stylesheet", "unsafe-inline", "url(http"})
    EXPECT_LACKS(page, part);
}

TEST(Markdown, SaysWhatTheTextSays) {
  std::string text = renderMarkdown(sampleReport());
  EXPECT_HAS(text, "## ✅ 1.42x faster (1.37–1.47, 95%) on NVIDIA H200");
  EXPECT_HAS(text, "| 1 | a message about F2 | fusion/add-layer-norm | 3 | 300 µs |");
  EXPECT_HAS(text, "### Refused, and why");
  EXPECT_EQ(countOf(text, "<details>"), 1u);
  EXPECT_EQ(countOf(text, "</details>"), 1u);
}

TEST(Markdown, NamesAreTextWhateverIsInThem) {
  EXPECT_EQ(escapedForMarkdown("<b>|a_b*`@me\n# x"), "&lt;b&gt;\\|a\\_b\\*\\`&#64;me \\# x");
  Report r = sampleReport();
  r.findings[1].message = "</details><img src=x> | [a](b)\n# heading";
  std::string text = renderMarkdown(r);
  EXPECT_LACKS(text, "<img");
  EXPECT_EQ(countOf(text, "</details>"), 1u);
  EXPECT_LACKS(text, "\n# heading");
}

TEST(JUnit, FailsWhatTheGateCountsAndNothingElse) {
  Report r = sampleReport();
  EXPECT_HAS(renderJUnit(r, {}), "tests=\"6\" failures=\"0\" errors=\"0\" skipped=\"1\"");
  std::string text = renderJUnit(r, {Severity::Warning, false});
  EXPECT_HAS(text, "tests=\"6\" failures=\"1\"");
  EXPECT_EQ(countOf(text, "<failure"), 1u);
  EXPECT_HAS(renderJUnit(r, {Severity::Opportunity, false}), "failures=\"3\"");  // F1 is known, F7 suppressed
}

TEST(JUnit, EscapesWhatXmlCannotHold) {
  Report r = sampleReport();
  r.findings[0].message = "a\x01<b> & \"c\"";
  EXPECT_HAS(renderJUnit(r, {}), "a &lt;b&gt; &amp; &quot;c&quot;");
}

TEST(JUnit, RegressionsFailOnlyWhereTheyAreAskedFor) {
  Report r = sampleReport();
  r.comparison = RunComparison{};
  r.comparison->regressions = {{"lost-fusion", "fusion/a", "a fusion", "2 sites", "1 site", "F1", 3}};
  r.comparison->found = {{"warning", "graph-break/b", "a finding", "", "", "F9", 0}};
  EXPECT_HAS(renderJUnit(r, {std::nullopt, true}), "failures=\"1\"");
  EXPECT_HAS(renderJUnit(r, {Severity::Warning, false}), "failures=\"1\"");
  EXPECT_HAS(renderJUnit(r, {}), "failures=\"0\"");
}

TEST(Sarif, HasAResultForEachFindingAndARuleForEachOfTheirs) {
  Report r = sampleReport();
  Json run = toSarif(r)["runs"][0];
  EXPECT_EQ(run["results"].size(), r.findings.size());
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  auto& first = run["results"][0];
  EXPECT_EQ(first["level"], "note");
  EXPECT_EQ(first["baselineState"], "unchanged");
  EXPECT_EQ(first["partialFingerprints"]["kadviseFinding/v1"], "F1");
  EXPECT_EQ(first["locations"][0]["physicalLocation"]["region"]["startLine"], 10);
  EXPECT_EQ(run["results"][3]["level"], "warning");
  EXPECT_EQ(run["results"][4]["suppressions"][0]["justification"], "read once, at the end");
  EXPECT_NEAR(run["results"][1]["properties"]["savedUs"].get<double>(), 300, 1);
}

TEST(Sarif, APathBecomesAnAddress) {
  Report r = sampleReport();
  r.findings[0].where.file = "a b/ü#?.py";
  Json location = toSarif(r)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(location["artifactLocation"]["uri"], "a%20b/%C3%BC%23%3F.py");
}

}  // namespace
}  // namespace kadvise
