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

// In the file that the report names.
std::vector<Shown> shownIn(const ModelReport& report, const std::string& text, bool isFileNewer = false) {
  return shownOf(report, "/w/model.py", Text(text), isFileNewer);
}

TEST(Anchors, ShowAFindingOnItsLine) {
  auto shown = shownIn(reportOf("/w/model.py", 2, kLine), "import torch\n    " + kLine + "\n");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].range, (Range{{1, 4}, {1, 24}}));
  EXPECT_EQ(shown[0].severity, Severity::Opportunity);
  EXPECT_FALSE(shown[0].isUnnecessary);
}

TEST(Anchors, FollowALineThatMovedAndIsIndentedAnew) {
  auto shown = shownIn(reportOf("/w/model.py", 2, "    " + kLine), "\n\n\n\n\ty =  self.norm(x + r)\n");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].range.start, (Position{4, 1}));
}

TEST(Anchors, DoNotMindACommentBehindTheLine) {
  auto shown = shownIn(reportOf("/w/model.py", 1, kLine), kLine + "  # later: another norm\n");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_FALSE(shown[0].isUnnecessary);
}

TEST(Anchors, TakeTheNearestOfEqualLines) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += i % 10 == 5 ? kLine + "\n" : "pass\n";
  auto shown = shownIn(reportOf("/w/model.py", 18, kLine), text);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].range.start.line, 15u);
}

TEST(Anchors, GreyOutALineThatIsGone) {
  auto shown = shownIn(reportOf("/w/model.py", 90, kLine), "import torch\npass\n");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_TRUE(shown[0].isUnnecessary);
  EXPECT_EQ(shown[0].severity, Severity::Note);
  EXPECT_LT(shown[0].range.start.line, 3u);
  EXPECT_TRUE(shown[0].message.starts_with("measured before this line changed"));
}

TEST(Anchors, FollowTheLinesAroundThoseThatAreThereMoreThanOnce) {
  auto report = reportOf("/w/model.py", 2, kLine);
  report.findings.push_back(report.findings[0]);
  report.findings[1].where.line = 1, report.findings[1].where.snippet = "only = here";
  // Its block has moved down by four lines, and an equal line stands where it was.
  auto shown = shownIn(report, "pass\n" + kLine + "\npass\npass\nonly = here\n" + kLine + "\n");
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].range.start.line, 5u);
}

TEST(Anchors, DoNotGuessBetweenTwoLinesThatAreEquallyNear) {
  auto shown = shownIn(reportOf("/w/model.py", 2, kLine), kLine + "\npass\n" + kLine + "\n");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_TRUE(shown[0].isUnnecessary);
}

TEST(Anchors, GreyOutWhatWasMeasuredOfAModuleThatIsNoMore) {
  auto report = reportOf("/w/model.py", 1, kLine);
  report.isStale = true;
  auto shown = shownIn(report, kLine + "\n");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_TRUE(shown[0].isUnnecessary);
  EXPECT_EQ(shown[0].severity, Severity::Note);
  EXPECT_TRUE(shown[0].message.starts_with("measured before the module was written anew"));
}

TEST(Anchors, DoWithoutASnippetWhileTheFileIsTheOneThatWasMeasured) {
  auto report = reportOf("/w/model.py", 1, "");
  EXPECT_FALSE(shownIn(report, "x\n").at(0).isUnnecessary);
  EXPECT_TRUE(shownIn(report, "x\n", true).at(0).isUnnecessary);
}

}  // namespace
}  // namespace kadvise::lsp
