#include "analyzer/lsp/markdown.h"

#include <gtest/gtest.h>

namespace kadvise::lsp {
namespace {

TEST(Markdown, LeavesPlainWordsAlone) {
  for (auto* words :
       {"x_1 * 2 < y, a && b; 3.5 ms (12 places)", "attn_weights saves 1.2x", "a # b - c + d = e"})
    EXPECT_EQ(escapedWords(words), words);
}

TEST(Markdown, MakesNoLinkImageOrHtmlOfWhatItIsGiven) {
  EXPECT_EQ(escapedWords("[x](command:rm)"), "\\[x](command:rm)");
  EXPECT_EQ(escapedWords("![](https://e.x/i.png)"), "!\\[](https\\://e.x/i.png)");
  EXPECT_EQ(escapedWords("<img src=x> </b> <!-- &lt;"), "\\<img src=x> \\</b> \\<!-- \\&lt;");
  EXPECT_EQ(escapedWords("www.e.x or a@b.c"), "www\\.e.x or a\\@b.c");
  EXPECT_EQ(escapedWords("*a* __b__ ~c~ \\[d"), "\\*a\\* \\_\\_b\\_\\_ \\~c\\~ \\\\\\[d");
}

TEST(Markdown, BeginsNoBlockWithALineOfWords) {
  for (auto* mark : {"# a", "> a", "- a", "+ a", "* a", "=== a", "| a", ":-- a"})
    EXPECT_EQ(escapedWords(mark), "\\" + std::string(mark));
  EXPECT_EQ(escapedWords("12. a"), "12\\. a");
  EXPECT_EQ(escapedWords("    code"), "code");
  EXPECT_EQ(escapedWords("~~~\n---"), "\\~\\~\\~  \n\\---");
}

TEST(Markdown, KeepsCodeThatWordsMark) {
  EXPECT_EQ(escapedWords("`a[i]` and `b`"), "`a[i]` and `b`");
  EXPECT_EQ(escapedWords("one ` alone [x]"), "one \\` alone \\[x]");
  EXPECT_EQ(escapedWords("`a``b```[x](y)"), "`a` `b`\\`\\`\\[x](y)");
}

TEST(Markdown, FencesCodeLongerThanWhatIsInIt) {
  EXPECT_EQ(codeSpan("layer.0"), "`layer.0`");
  EXPECT_EQ(codeSpan("a`` [x](y)"), "```a`` [x](y)```");
  EXPECT_EQ(codeSpan("`a\n\nb"), "`` `a  b ``");
}

TEST(Markdown, ShowsWhatTurnsTheReadingDirection) {
  EXPECT_EQ(escapedWords("a\u202eb\x1b[31m"), "a\uFFFDb \\[31m");
}

TEST(Markdown, EscapesWordsAndNamesOnlyWhereMarkdownIsRead) {
  std::vector<Passage> passages = {{Passage::Kind::Words, "[x]", {}},
                                   {Passage::Kind::Page, "**b**", {}},
                                   {Passage::Kind::Code, "In", {"a.b", "c`"}}};
  EXPECT_EQ(rendered(passages, true), "\\[x]\n\n**b**\n\nIn `a.b`, `` c` ``");
  EXPECT_EQ(rendered(passages, false), "[x]\n\n**b**\n\nIn a.b, c`");
}

}  // namespace
}  // namespace kadvise::lsp
