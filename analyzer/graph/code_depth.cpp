#include "analyzer/graph/code_depth.h"

#include <cctype>
#include <string>

namespace kadvise::graph {
namespace {

// The printer of TorchScript keeps expressions to some tens of levels; the stack holds thousands.
constexpr int kMostBrackets = 200, kMostInARow = 500, kMostColumns = 400;

// Past the end of a string literal that begins at `at`.
std::size_t behindString(std::string_view code, std::size_t at) {
  char quote = code[at++];
  while (at < code.size() && code[at] != quote && code[at] != '\n') at += code[at] == '\\' ? 2 : 1;
  return at + 1;
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string_view wordAt(std::string_view code, std::size_t at) {
  auto end = at;
  while (end < code.size() && isWord(code[end])) ++end;
  return code.substr(at, end - at);
}

bool isOperator(std::string_view word) {
  return word == "not" || word == "and" || word == "or" || word == "if" || word == "else" || word == "in";
}

bool startsTooFarIn(std::string_view code, std::size_t line) {
  auto text = code.find_first_not_of(' ', line);
  return text != std::string_view::npos && text - line > kMostColumns;
}

}  // namespace

bool isTooDeep(std::string_view code) {
  constexpr std::string_view kOpening = "([{", kClosing = ")]}", kOperators = "+-*/%@&|^~<>=.";
  int open = 0, inARow = 0;
  if (startsTooFarIn(code, 0)) return true;
  for (std::size_t at = 0; at < code.size();) {
    char c = code[at];
    if (isWord(c)) {
      auto word = wordAt(code, at);
      inARow += isOperator(word);
      at += word.size();
    } else if (c == '"' || c == '\'') {
      at = behindString(code, at);
      continue;
    } else {
      if (c == '\n' && startsTooFarIn(code, at + 1)) return true;
      if (kOpening.find(c) != std::string_view::npos) ++open;
      if (kClosing.find(c) != std::string_view::npos && open > 0) --open;
      if (kOperators.find(c) != std::string_view::npos) ++inARow;
      if (c == ',' || (c == '\n' && open == 0)) inARow = 0;
      ++at;
    }
    if (open > kMostBrackets || inARow > kMostInARow) return true;
  }
  return false;
}

}  // namespace kadvise::graph
