#include "analyzer/lsp/text.h"

#include <gtest/gtest.h>

#include <random>

#include "analyzer/lsp/shown.h"
#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace {

TEST(Text, CountsLinesWhicheverWayTheyEnd) {
  Text text("a\nb\r\nc\rd");
  ASSERT_EQ(text.lines(), 4u);
  EXPECT_EQ(text.line(0), "a");
  EXPECT_EQ(text.line(1), "b");
  EXPECT_EQ(text.line(2), "c");
  EXPECT_EQ(text.line(3), "d");
  EXPECT_EQ(text.line(4), "");
}

TEST(Text, HasOneLineWhenEmpty) {
  Text text("");
  EXPECT_EQ(text.lines(), 1u);
  EXPECT_EQ(text.positionOf(7), (Position{0, 0}));
  EXPECT_EQ(text.offsetOf({3, 9}), 0u);
}

TEST(Text, CountsCharactersInUtf16) {
  Text text("\té𝄞日x\n");  // 1, 2, 4 and 3 bytes; 1, 1, 2 and 1 units
  EXPECT_EQ(text.offsetOf({0, 1}), 1u);
  EXPECT_EQ(text.offsetOf({0, 2}), 3u);
  EXPECT_EQ(text.offsetOf({0, 4}), 7u);
  EXPECT_EQ(text.offsetOf({0, 5}), 10u);
  EXPECT_EQ(text.positionOf(7), (Position{0, 4}));
  EXPECT_EQ(text.positionOf(10), (Position{0, 5}));
}

TEST(Text, TakesTheMiddleOfASurrogatePairAsItsStart) {
  Text text("𝄞x");
  EXPECT_EQ(text.offsetOf({0, 1}), 0u);
  EXPECT_EQ(text.positionOf(2), (Position{0, 0}));
}

TEST(Text, StaysInsideTheLine) {
  Text text("ab\r\ncd");
  EXPECT_EQ(text.offsetOf({0, 99}), 2u);
  EXPECT_EQ(text.positionOf(3), (Position{0, 2}));  // between \r and \n
  EXPECT_EQ(text.offsetOf({9, 9}), 6u);
}

TEST(Text, CountsAByteOrderMarkAsOneUnit) {
  Text text("\xEF\xBB\xBFint x;");
  EXPECT_EQ(text.offsetOf({0, 1}), 3u);
  EXPECT_EQ(text.positionOf(3), (Position{0, 1}));
}

TEST(Text, ReplacesRanges) {
  Text text("one\ntwo\nthree");
  text.replace({{0, 1}, {1, 1}}, "X\nY");
  EXPECT_EQ(text.bytes(), "oX\nYwo\nthree");
  EXPECT_EQ(text.line(1), "Ywo");
  text.replace({{2, 5}, {2, 5}}, "!\n");
  EXPECT_EQ(text.lines(), 4u);
}

TEST(Text, KeepsTheOtherHalfOfAPair) {
  auto replaced = [](Range range, const char* with) {
    Text text("a\U0001D11Eb\n");  // a pair, in units 1 and 2
    text.replace(range, with);
    return text.bytes();
  };
  EXPECT_EQ(replaced({{0, 1}, {0, 3}}, ""), "ab\n");
  EXPECT_EQ(replaced({{0, 2}, {0, 3}}, "x"), "a\uFFFDxb\n");
  EXPECT_EQ(replaced({{0, 0}, {0, 2}}, "x"), "x\uFFFDb\n");
  EXPECT_EQ(replaced({{0, 2}, {0, 2}}, "x"), "a\uFFFDx\uFFFDb\n");
  EXPECT_EQ(replaced({{0, 4}, {0, 2}}, ""), "a\uFFFD\n");
  EXPECT_EQ(replaced({{0, 9}, {0, 9}}, "x"), "a\U0001D11Ebx\n");
}

TEST(Text, JoinsALineEndThatComesInTwoParts) {
  Text text("a\rb");
  text.replace({{1, 0}, {1, 0}}, "\n");
  EXPECT_EQ(text.lines(), 2u);
  EXPECT_EQ(text.line(1), "b");
}

TEST(Text, AgreesWithATextMadeAnewAfterAnyChanges) {
  std::mt19937 random(7);
  const std::string pieces[] = {"", "x", "\n", "\r", "\r\n", "é", "𝄞", "a\nb", "\t"};
  Text text("begin\n");
  for (int i = 0; i < 2000; ++i) {
    Position a{random() % (text.lines() + 1), random() % 6}, b{random() % (text.lines() + 1), random() % 6};
    text.replace({a, b}, pieces[random() % std::size(pieces)]);
    Text anew(text.bytes());
    ASSERT_EQ(text.lines(), anew.lines()) << i;
    for (std::size_t line = 0; line < anew.lines(); ++line) ASSERT_EQ(text.startOf(line), anew.startOf(line));
    for (std::size_t at = 0; at <= text.bytes().size(); ++at)
      ASSERT_LE(text.offsetOf(text.positionOf(at)), at);
  }
}

TEST(Text, PutsALocationsBytesIntoUnits) {
  Text text("/* 日本 */ float x;\n");
  Location where{"a.cu", 1, 14, 1, 19, "", "", ""};
  EXPECT_EQ(rangeIn(text, where), (Range{{0, 9}, {0, 14}}));
  Location line{"a.cu", 1, 0, 0, 0, "", "", ""};
  EXPECT_EQ(rangeIn(text, line), (Range{{0, 0}, {0, 17}}));
  Location beyond{"a.cu", 9, 3, 9, 5, "", "", ""};
  EXPECT_EQ(rangeIn(text, beyond).start.line, 1u);
}

TEST(Uri, GoesBothWays) {
  EXPECT_EQ(pathOf("file:///a/b%20c/d.cu"), "/a/b c/d.cu");
  EXPECT_EQ(pathOf("file://localhost/a.cu"), "/a.cu");
  EXPECT_EQ(pathOf("untitled:Untitled-1"), "");
  EXPECT_EQ(pathOf("file:///a%00b"), "");
  EXPECT_EQ(pathOf("file:///100%"), "/100%");
  for (auto* path : {"/a b/ü#?.cu", "/x%20y", "/c:/d"}) EXPECT_EQ(pathOf(uriOf(path)), path);
}

}  // namespace
}  // namespace kadvise::lsp
