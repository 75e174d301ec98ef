// The report for other readers than a terminal.
#include <filesystem>

#include "reports/counts.h"
#include "reports/headline.h"
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
  EXPECT_HAS(text, "All of them:\n\n```text\nkadvise model.pt --input 'int64[2,128]<1000' --apply -o");
  EXPECT_EQ(countOf(text, "<details>"), 1u);
  EXPECT_EQ(countOf(text, "</details>"), 1u);
}

TEST(Markdown, WhatOtherCommandsComeToIsAHeading) {
  Report r = sampleReport();
  r.comparison = RunComparison{};
  EXPECT_HAS(renderMarkdown(r), "## ✅ no regression, 0 gains; findings: 0 new");
  r.comparison.reset();
  r.component = ComponentCheck{"norm", {{"scale", "fail", "off by 3"}}};
  EXPECT_HAS(renderMarkdown(r), "## ❌ not what norm promises: 1 of 1 check failed");
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
  EXPECT_HAS(renderJUnit(r, {}), "<skipped message=\"read once, at the end\"/>");
  std::string text = renderJUnit(r, {Severity::Warning, false});
  EXPECT_HAS(text, "tests=\"6\" failures=\"1\"");
  EXPECT_EQ(countOf(text, "<failure"), 1u);
  EXPECT_HAS(renderJUnit(r, {Severity::Opportunity, false}), "failures=\"3\"");  // F1 is known, F7 suppressed
}

// What the test case of the whole module says of an outcome.
std::string junitOf(Outcome outcome) {
  Report r = sampleReport();
  r.whole = {};
  r.whole.outcome = outcome;
  r.whole.reason = "the reason";
  return renderJUnit(r, {});
}

TEST(JUnit, OutputsThatDifferFailAndThoseThatWereNotComparedDoNotPass) {
  EXPECT_HAS(junitOf(Outcome::WrongOutput),
             "<failure message=\"the outputs differ, nothing is advised: the reason\">");
  EXPECT_HAS(junitOf(Outcome::Failed), "<error message=");
  EXPECT_HAS(junitOf(Outcome::NotRun), "<skipped message=\"the reason\"/>");
  EXPECT_LACKS(junitOf(Outcome::Same), "message=\"the reason");
}

TEST(JUnit, OfTheOtherCommandsSaysWhatTheyWereAskedFor) {
  Report r;
  r.levels = sampleLevels();
  EXPECT_HAS(renderJUnit(r, {}), "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\"");
  EXPECT_HAS(renderJUnit(r, {}),
             "name=\"CUDA graph\"><skipped message=\"not-run: a CUDA graph needs a GPU\"/>");
  r = {};
  r.pair = PairCheck{"module", "b.pt", "", "", "undecided", true, {}};
  r.whole.reason = "the signatures differ";
  EXPECT_HAS(renderJUnit(r, {}), "<error message=\"undecided: the signatures differ\">");
  r = {};
  r.component = ComponentCheck{"norm", {{"scale", "fail", "off by 3"}, {"shift", "pass", ""}}};
  EXPECT_HAS(renderJUnit(r, {}), "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"");
}

TEST(JUnit, AFileThatWasNotWrittenFails) {
  Report r = sampleReport();
  r.output = Output{"fast.pt", false, "it is slower", 0, 0};
  EXPECT_HAS(renderJUnit(r, {}), "name=\"fast.pt is written\"><failure message=\"it is slower\">");
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

TEST(Sarif, HoldsTheVerdictOfTheWholeModuleAndWhatWasRefused) {
  Report r = sampleReport();
  Json run = toSarif(r)["runs"][0], notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["descriptor"]["id"], "kadvise/whole-module");
  EXPECT_EQ(notes[0]["level"], "note");
  EXPECT_EQ(notes[0]["message"]["text"], headline(r).text);
  auto& properties = run["properties"];
  EXPECT_EQ(properties["outcome"], "faster");
  EXPECT_NEAR(properties["speedup"]["mid"].get<double>(), 1.42, 1e-9);
  EXPECT_EQ(properties["kernels"]["after"], 286);
  EXPECT_EQ(properties["counts"]["advised"], 2);
  EXPECT_EQ(properties["refused"][0]["reason"], "%bn is in training mode");
  r.whole.outcome = Outcome::WrongOutput;
  EXPECT_EQ(toSarif(r)["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["level"], "error");
}

TEST(Counts, AreOfItemsAndInWords) {
  Report r = sampleReport();
  EXPECT_EQ(countWords(r),
            "found: 2 advised, 1 to change by hand, 1 not advised, 1 suppressed; 1 place refused; 1 rule not "
            "applicable");
  EXPECT_HAS(rendered(r), countWords(r).substr(0, 40));
  r = {};
  EXPECT_EQ(countWords(r), "") << "no rule came to look";
  r.notApplicable = {{"fusion/a", "no softmax"}};
  EXPECT_EQ(countWords(r), "nothing found; 1 rule not applicable");
}

TEST(Sarif, APathBecomesAnAddress) {
  Report r = sampleReport();
  r.findings[0].where.file = "a b/ü#?.py";
  Json location = toSarif(r)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(location["artifactLocation"]["uri"], "a%20b/%C3%BC%23%3F.py");
}

TEST(Sarif, AFileBelowTheFolderIsNamedFromThere) {
  Report r = sampleReport();
  auto artifactOf = [&](const std::string& file) {
    r.findings[0].where.file = file;
    Json run = toSarif(r)["runs"][0];
    EXPECT_TRUE(run["originalUriBaseIds"].contains("%SRCROOT%"));
    return run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  auto here = std::filesystem::current_path();
  EXPECT_EQ(artifactOf(here / "net/model.py"), Json({{"uri", "net/model.py"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(artifactOf(here.parent_path() / "model.py"),
            Json({{"uri", "file://" + (here.parent_path() / "model.py").string()}}));
}

}  // namespace
}  // namespace kadvise
