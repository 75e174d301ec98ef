#include "analyzer/lsp/lexed_lines.h"

#include <gtest/gtest.h>

namespace kadvise::lsp {
namespace {

// A line each: "c" where it begins in code, "-" where not; the same of its end; then where its comment
// begins.
std::string said(const std::string& text) {
  std::string out;
  for (auto& line : lexedLines(Text(text))) {
    out += line.beginsInCode ? 'c' : '-';
    out += line.endsInCode ? 'c' : '-';
    if (line.comment != std::string_view::npos) out += std::to_string(line.comment);
    out += ' ';
  }
  return out;
}

TEST(LexedLines, CommentsBeginWhereNoLiteralIs) {
  EXPECT_EQ(said("f(\"//\"); // x"), "cc9 ");
  EXPECT_EQ(said("'\"' // x"), "cc4 ");
  EXPECT_EQ(said("\"\\\"//\" // x"), "cc7 ");
  EXPECT_EQ(said("1'000'000 // x"), "cc10 ");
  EXPECT_EQ(said("0x1'f; u8'a'; // x"), "cc14 ");
  EXPECT_EQ(said("/* // */ x"), "cc ");
}

TEST(LexedLines, CommentsAndLiteralsGoOnOverLines) {
  EXPECT_EQ(said("/* a\n// b\n*/ c // d"), "c- -- -c5 ");
  EXPECT_EQ(said("x // a \\\nb\nc"), "c-2 -c0 cc ");
  EXPECT_EQ(said("\"a \\\n// b\" // c\nd"), "c- -c6 cc ");
}

TEST(LexedLines, RawStringsEndAtTheirOwnEnd) {
  EXPECT_EQ(said("R\"(\n\" // )x\"\n)\"; // y"), "c- -- -c4 ");
  EXPECT_EQ(said("u8R\"ab(\n)\"\n)ab\"; z"), "c- -- -c ");
  EXPECT_EQ(said("FOR\"(x\"\ny"), "cc cc ");  // a word, and a string
  EXPECT_EQ(said("R\"a b(\ny"), "cc cc ");    // no raw string may have a blank there
  EXPECT_EQ(said("R\"(a)\" // b"), "cc7 ");
}

TEST(LexedLines, WhatIsNotClosedEndsWithItsLine) {
  EXPECT_EQ(said("#error don't\nx // y"), "cc cc2 ");
  EXPECT_EQ(said("\"open\nx"), "cc cc ");
  EXPECT_EQ(said(""), "cc ");
}

}  // namespace
}  // namespace kadvise::lsp
