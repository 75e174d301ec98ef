#include "analyzer/lint/git_lines.h"

#include <gtest/gtest.h>

#include <climits>

namespace kadvise {
namespace {

TEST(GitLines, AreThoseOfTheHunks) {
  auto out = parseDiff(
      "diff --git a.cu a.cu\n--- a.cu\n+++ a.cu\n@@ -3 +3,2 @@ void f() {\n-x\n+y\n+z\n@@ -9,2 +10,0 "
      "@@\n-a\n-b\n",
      "/p");
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out["/p/a.cu"].lines, (LineRanges{{3, 4}}));
}

TEST(GitLines, AFileWithDeletionsAloneIsChangedWithoutALine) {
  auto out = parseDiff(
      "--- old.cu\n+++ a.cu\n@@ -3 +2,0 @@\n-x\n--- /dev/null\n+++ b.cu\n@@ -0,0 +1 @@\n+y\n", "/p");
  ASSERT_EQ(out.size(), 2u);
  EXPECT_TRUE(out["/p/a.cu"].lines.empty());
  EXPECT_EQ(out["/p/a.cu"].before, "old.cu");
  EXPECT_EQ(out["/p/b.cu"].before, "");
}

// A line that begins with "++ " looks like the name of a file behind its mark.
TEST(GitLines, TextOfAHunkIsNoHeader) {
  auto out = parseDiff(
      "--- a.cu\n+++ a.cu\n@@ -1 +1,3 @@\n-x\n\\ No newline at end of file\n+++ b.cu\n+@@ -1 +1,99 "
      "@@\n+y\n@@ -7 +9 @@\n-- p\n+q\n",
      "/p");
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out["/p/a.cu"].lines, (LineRanges{{1, 3}, {9, 9}}));
}

TEST(GitLines, NamesMayBeQuoted) {
  auto out = parseDiff(
      "+++ \"a\\tb\\\"\\303\\274\\n.cu\"\n@@ -1 +1 @@\n-x\n+y\n+++ a b.cu\t\n@@ -1 +1 @@\n-x\n+y\n", "/p");
  EXPECT_TRUE(out.count("/p/a\tb\"\xc3\xbc\n.cu"));
  EXPECT_TRUE(out.count("/p/a b.cu"));
}

// "1\n2\n3\n4\n5\n"
const std::string kText = "1\n2\n3\n4\n5\n";

LineRanges moved(const LineRanges& lines, std::vector<Edit> edits) {
  return movedLines(lines, kText, std::move(edits));
}

TEST(MovedLines, AnInsertedLineMovesThoseBehindIt) {
  EXPECT_EQ(moved({{1, 1}, {4, 5}}, {{"", 4, 0, "new\n"}}), (LineRanges{{1, 1}, {3, 3}, {5, 6}}));
}

TEST(MovedLines, AnEditInALineTouchesIt) {
  EXPECT_EQ(moved({{4, 4}}, {{"", 2, 1, "two\nand a half"}}), (LineRanges{{2, 3}, {5, 5}}));
  EXPECT_EQ(moved({{4, 4}}, {{"", 6, 1, "four"}}), (LineRanges{{4, 4}, {4, 4}}));
}

TEST(MovedLines, ADeletedLineLeavesNone) {
  EXPECT_EQ(moved({{2, 2}, {5, 5}}, {{"", 2, 2, ""}}), (LineRanges{{4, 4}}));
  EXPECT_EQ(moved({{1, INT_MAX}}, {{"", 2, 2, ""}}), (LineRanges{{1, INT_MAX}}));
}

TEST(MovedLines, SeveralEditsAddUpInAnyOrder) {
  EXPECT_EQ(moved({{5, 5}}, {{"", 4, 0, "x\n"}, {"", 0, 0, "a\nb\n"}}), (LineRanges{{1, 2}, {5, 5}, {8, 8}}));
}

}  // namespace
}  // namespace kadvise
