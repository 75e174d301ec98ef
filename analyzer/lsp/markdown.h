// Markdown for hovers, of words that are not ours: a report and a source are data of whoever wrote them, and
// what they say is shown as text, never as a link, an image or HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kadvise::lsp {

// Words is text as it came, with `names` in it; Page is Markdown of the rule book; Code is a list of names.
struct Passage {
  enum class Kind { Words, Page, Code };
  Kind kind = Kind::Words;
  std::string text;                // of Words and Page; of Code what stands before the names
  std::vector<std::string> names;  // of Code
};

// As a client shows it: with isMarkdown false there is nothing to escape.
std::string rendered(const std::vector<Passage>&, bool isMarkdown);

// Text that shows as itself; what stands between two backticks is code.
std::string escapedWords(std::string_view);
std::string codeSpan(std::string_view);

}  // namespace kadvise::lsp
