#include "analyzer/lsp/ignoring.h"

#include <gtest/gtest.h>

namespace kadvise::lsp {
namespace {

const std::string kRule = "cuda/bank-conflict";

std::string with(Text text, const std::optional<TextEdit>& edit) {
  if (!edit) return "none";
  text.replace(edit->range, edit->text);
  return text.bytes();
}

TEST(Ignoring, WritesBehindTheLine) {
  Text text("  f();  \n");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 0, kRule)),
            "  f();  // kadvise: ignore[cuda/bank-conflict]\n");
}

TEST(Ignoring, AddsToTheCommentThatIsThere) {
  Text text("f();  // kadvise: ignore[cuda/a] why\n");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 0, kRule)),
            "f();  // kadvise: ignore[cuda/a, cuda/bank-conflict] why\n");
  Text above("  // kadvise: ignore[cuda/a]\n  f();\n");
  EXPECT_EQ(with(above, ignoreOnLine(above, lexedLines(above), 1, kRule)),
            "  // kadvise: ignore[cuda/a, cuda/bank-conflict]\n  f();\n");
}

TEST(Ignoring, WritesAboveALineWithAComment) {
  Text text("x\r\n  f();  // because\r\n");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 1, kRule)),
            "x\r\n  // kadvise: ignore[cuda/bank-conflict]\r\n  f();  // because\r\n");
}

TEST(Ignoring, LeavesMacrosOfSeveralLinesAlone) {
  Text text("#define M \\\n  f(); \\\n  g();\n");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 1, kRule)), "none");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 0, kRule)),
            "// kadvise: ignore[cuda/bank-conflict]\n#define M \\\n  f(); \\\n  g();\n");
}

TEST(Ignoring, WritesNothingIntoLiterals) {
  Text opening("auto* s = R\"(\nx\n)\"; g();\n");
  EXPECT_EQ(with(opening, ignoreOnLine(opening, lexedLines(opening), 0, kRule)),
            "// kadvise: ignore[cuda/bank-conflict]\nauto* s = R\"(\nx\n)\"; g();\n");
  EXPECT_EQ(with(opening, ignoreOnLine(opening, lexedLines(opening), 1, kRule)), "none");
  EXPECT_EQ(with(opening, ignoreOnLine(opening, lexedLines(opening), 2, kRule)),
            "auto* s = R\"(\nx\n)\"; g();  // kadvise: ignore[cuda/bank-conflict]\n");
  Text quoted("f(\"// kadvise: ignore[cuda/a]\");\n");
  EXPECT_EQ(with(quoted, ignoreOnLine(quoted, lexedLines(quoted), 0, kRule)),
            "f(\"// kadvise: ignore[cuda/a]\");  // kadvise: ignore[cuda/bank-conflict]\n");
  Text above("auto* s = R\"(\n  // kadvise: ignore[cuda/a]\n)\"; g();\n");
  EXPECT_EQ(
      with(above, ignoreOnLine(above, lexedLines(above), 2, kRule)),
      "auto* s = R\"(\n  // kadvise: ignore[cuda/a]\n)\"; g();  // kadvise: ignore[cuda/bank-conflict]\n");
  Text file("auto* s = \"// kadvise: ignore-file[cuda/a]\";\n");
  EXPECT_EQ(with(file, ignoreInFile(file, lexedLines(file), kRule)),
            "// kadvise: ignore-file[cuda/bank-conflict]\nauto* s = \"// kadvise: ignore-file[cuda/a]\";\n");
  Text url("f(\"http://x\");\n");
  EXPECT_EQ(with(url, ignoreOnLine(url, lexedLines(url), 0, kRule)),
            "f(\"http://x\");  // kadvise: ignore[cuda/bank-conflict]\n");
}

TEST(Ignoring, WritesNothingIntoCommentsThatGoOn) {
  Text text("f(); /* one\n two */ g();\nh();\n");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 0, kRule)),
            "// kadvise: ignore[cuda/bank-conflict]\nf(); /* one\n two */ g();\nh();\n");
  EXPECT_EQ(with(text, ignoreOnLine(text, lexedLines(text), 1, kRule)),
            "f(); /* one\n two */ g();  // kadvise: ignore[cuda/bank-conflict]\nh();\n");
}

TEST(Ignoring, WritesOnceForTheWholeFile) {
  Text text("\xEF\xBB\xBFint x;\n");
  EXPECT_EQ(with(text, ignoreInFile(text, lexedLines(text), kRule)),
            "\xEF\xBB\xBF// kadvise: ignore-file[cuda/bank-conflict]\nint x;\n");
  Text again("// kadvise: ignore-file[cuda/a]\nint x;\n");
  EXPECT_EQ(with(again, ignoreInFile(again, lexedLines(again), kRule)),
            "// kadvise: ignore-file[cuda/a, cuda/bank-conflict]\nint x;\n");
}

TEST(Ignoring, KnowsTheNameUnderThePointer) {
  Text text("f(cuda/x);  // kadvise: ignore[cuda/a, libtorch] why cuda/a\n// NOLINT(cuda/b)\n");
  EXPECT_EQ(selectorAt(text, {0, 33}), "cuda/a");
  EXPECT_EQ(selectorAt(text, {0, 42}), "libtorch");
  EXPECT_EQ(selectorAt(text, {0, 4}), "");
  EXPECT_EQ(selectorAt(text, {1, 12}), "cuda/b");
  EXPECT_EQ(selectorAt(text, {9, 9}), "");
}

}  // namespace
}  // namespace kadvise::lsp
