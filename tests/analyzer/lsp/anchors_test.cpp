#include <gtest/gtest.h>

#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {
namespace {

ModelReport reportOf(const std::string& file, int line, const std::string& snippet) {
  ModelReport out;
  out.path = "/w/.kadvise/last.json";
  ModelFinding f;
  f.id = "F1", f.rule = "fusion/add-layer-norm", f.message = "saves time", f.severity = Severity::Opportunity;
  f.where = {file, line, 0, 0, 0, "encoder", snippet, ""};
  out.findings = {f};
  return out;
}

const std::string kLine = "y = self.norm(x + r)";

TEST(Anchors, ShowAFindingOnItsLine) {
  auto shown =
      shownOf(reportOf("/w/model.py", 2, kLine), "/w/model.py", Text("import torch\n    " + kLine + "\n"));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].range, (Range{{1, 4}, {1, 24}}));
  EXPECT_EQ(shown[0].severity, Severity::Opportunity);
  EXPECT_FALSE(shown[0].isUnnecessary);
}

TEST(Anchors, FollowALineThatMovedAndIsIndentedAnew) {
  auto shown = shownOf(reportOf("/w/model.py", 2, "    " + kLine), "/w/model.py",
                       Text("\n\n\n\n\ty =  self.norm(x + r)\n"));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].range.start, (Position{4, 1}));
}

TEST(Anchors, TakeTheNearestOfEqualLines) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += i % 10 == 5 ? kLine + "\n" : "pass\n";
  auto shown = shownOf(reportOf("/w/model.py", 18, kLine), "/w/model.py", Text(text));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].range.start.line, 15u);
}

TEST(Anchors, GreyOutALineThatIsGone) {
  auto shown = shownOf(reportOf("/w/model.py", 90, kLine), "/w/model.py", Text("import torch\npass\n"));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_TRUE(shown[0].isUnnecessary);
  EXPECT_EQ(shown[0].severity, Severity::Note);
  EXPECT_LT(shown[0].range.start.line, 3u);
}

TEST(Anchors, KnowAFileOfAnotherMachineByItsText) {
  auto report = reportOf("/other/model.py", 2, kLine);
  EXPECT_EQ(shownOf(report, "/w/model.py", Text(kLine)).size(), 1u);
  EXPECT_TRUE(shownOf(report, "/w/model.py", Text("something else\n")).empty());
  EXPECT_TRUE(shownOf(report, "/w/other.py", Text(kLine)).empty());
}

TEST(Anchors, DoWithoutASnippetInTheFileItself) {
  EXPECT_EQ(shownOf(reportOf("/w/model.py", 1, ""), "/w/model.py", Text("x\n")).size(), 1u);
  EXPECT_TRUE(shownOf(reportOf("/other/model.py", 1, ""), "/w/model.py", Text("x\n")).empty());
}

}  // namespace
}  // namespace kadvise::lsp
