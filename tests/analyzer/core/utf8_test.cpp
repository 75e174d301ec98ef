#include "analyzer/core/utf8.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

TEST(Utf8, TextStaysAsItIs) {
  for (std::string text : {"", "plain\n\t\x01", "ümlaut €", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(validUtf8(text), text);
}

TEST(Utf8, WhatIsNoCharacterIsReplacedByteByByte) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(validUtf8("a\xFF\x62"), "a" + bad + "b");
  EXPECT_EQ(validUtf8("\xC3"), bad);                                // cut off
  EXPECT_EQ(validUtf8("\xE2\x82z"), bad + bad + "z");               // broken off
  EXPECT_EQ(validUtf8("\xC0\xAF"), bad + bad);                      // longer than it need be
  EXPECT_EQ(validUtf8("\xED\xA0\x80"), bad + bad + bad);            // half a pair
  EXPECT_EQ(validUtf8("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // beyond the last
  EXPECT_EQ(validUtf8("\xEF\xBF\xBE"), bad + bad + bad);            // none in XML
  EXPECT_EQ(validUtf8("\x80\xBF"), bad + bad);
}

TEST(Utf8, NothingThatIsVisibleTurnsTheDirectionOrMovesTheCursor) {
  EXPECT_EQ(visible("a\x1b[31m\tb\n\rc\x7f"), "a [31m\tb\n c ");
  EXPECT_EQ(visible("\u009b"), " ");
  EXPECT_EQ(visible("µ→é"), "µ→é");
  for (const char* mark :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"})
    EXPECT_EQ(visible(std::string("x") + mark + "y"), "x\uFFFDy");
}

TEST(Utf8, BytesComeBackFromTheirCharacters) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(validUtf8(charactersOf(all)), charactersOf(all));
  EXPECT_EQ(bytesOf(charactersOf(all)), all);
  EXPECT_EQ(bytesOf("a\xE2\x82\xAC"
                    "b"),
            "ab");
}

TEST(Utf8, AHeadEndsBetweenCharacters) {
  EXPECT_EQ(headOf("a\xC3\xBC"
                   "b",
                   4),
            "a\xC3\xBC"
            "b");
  EXPECT_EQ(headOf("a\xC3\xBC"
                   "b",
                   2),
            "a");
  EXPECT_EQ(headOf("a\xC3\xBC"
                   "b",
                   3),
            "a\xC3\xBC");
  EXPECT_EQ(headOf("\xBF\xBF\xBF", 2), "");
}

}  // namespace
}  // namespace kadvise
