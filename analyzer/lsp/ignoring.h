// Comments that keep a finding out.
#pragma once

#include <optional>
#include <string>

#include "analyzer/lsp/lexed_lines.h"
#include "analyzer/lsp/text.h"

namespace kadvise::lsp {

struct TextEdit {
  Range range;
  std::string text;
};

// Behind the line, in a comment of ours that is there already, or on a line of its own above. None where a
// comment would break a macro that goes on over the line, or stand in a literal. lines: of the text.
std::optional<TextEdit> ignoreOnLine(const Text&, const std::vector<LexedLine>& lines, std::size_t line,
                                     const std::string& rule);
TextEdit ignoreInFile(const Text&, const std::vector<LexedLine>& lines, const std::string& rule);

// The rule or category that a comment of ours names at this place; "" for none.
std::string selectorAt(const Text&, Position);

}  // namespace kadvise::lsp
