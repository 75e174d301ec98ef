// Where the comments and the literals of C++ are, line by line: what is written into a literal would change
// the program.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/lsp/text.h"

namespace kadvise::lsp {

struct LexedLine {
  // Neither the line's beginning nor its end lies in a literal or in a comment that goes on over it.
  bool beginsInCode = true, endsInCode = true;
  std::size_t comment = std::string_view::npos;  // where the line's "//" begins
};

// As many as the text has lines. Lines that the preprocessor leaves out are read as any others.
std::vector<LexedLine> lexedLines(const Text&);

}  // namespace kadvise::lsp
