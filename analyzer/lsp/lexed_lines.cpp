#include "analyzer/lsp/lexed_lines.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace kadvise::lsp {
namespace {

constexpr std::size_t kMostDelimiter = 16;  // of a raw string, by the standard
constexpr std::string_view kRawPrefixes[] = {"R", "LR", "uR", "UR", "u8R"};

bool isOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// What a line ends in, to go on in the next one.
enum class Within { Code, LineComment, BlockComment, Quotes, RawString };

struct Lexer {
  Within within = Within::Code;
  char quote = 0;           // of Within::Quotes
  std::string rawEnd = "";  // of Within::RawString: ")delimiter" and the quote

  // The end of the word or number that begins here: 1'000'000 is one.
  static std::size_t endOfWord(std::string_view line, std::size_t at) {
    bool isNumber = std::isdigit(static_cast<unsigned char>(line[at]));
    auto goesOn = [&](std::size_t i) {
      return isOfWord(line[i]) ||
             (isNumber && line[i] == '\'' && i + 1 < line.size() && isOfWord(line[i + 1]));
    };
    while (at < line.size() && goesOn(at)) ++at;
    return at;
  }

  // Behind the quote: whether it opens a raw string.
  bool beginsRaw(std::string_view line, std::size_t at) {
    auto open = line.find('(', at);
    if (open == std::string_view::npos || open - at > kMostDelimiter) return false;
    auto delimiter = line.substr(at, open - at);
    if (delimiter.find_first_of(" \t\\)\"") != std::string_view::npos) return false;
    within = Within::RawString;
    rawEnd = ")" + std::string(delimiter) + "\"";
    return true;
  }

  std::size_t readCode(std::string_view line, std::size_t at, LexedLine& out) {
    auto rest = line.substr(at);
    if (rest.starts_with("//")) {
      within = Within::LineComment, out.comment = at;
      return line.size();
    }
    if (rest.starts_with("/*")) {
      within = Within::BlockComment;
      return at + 2;
    }
    if (rest[0] == '"' || rest[0] == '\'') {
      within = Within::Quotes, quote = rest[0];
      return at + 1;
    }
    if (!isOfWord(rest[0])) return at + 1;
    auto end = endOfWord(line, at);
    auto word = line.substr(at, end - at);
    bool isRawPrefix =
        std::find(std::begin(kRawPrefixes), std::end(kRawPrefixes), word) != std::end(kRawPrefixes);
    if (isRawPrefix && end < line.size() && line[end] == '"' && beginsRaw(line, end + 1)) return end + 1;
    return end;
  }

  std::size_t readUntil(std::string_view line, std::size_t at, std::string_view closing) {
    auto end = line.find(closing, at);
    if (end == std::string_view::npos) return line.size();
    within = Within::Code;
    return end + closing.size();
  }

  std::size_t readQuotes(std::string_view line, std::size_t at) {
    if (line[at] == '\\') return at + 2;
    if (line[at] == quote) within = Within::Code;
    return at + 1;
  }

  LexedLine read(std::string_view line) {
    LexedLine out;
    out.beginsInCode = within == Within::Code;
    if (within == Within::LineComment) out.comment = 0;
    for (std::size_t at = within == Within::LineComment ? line.size() : 0; at < line.size();) {
      if (within == Within::Code) at = readCode(line, at, out);
      else if (within == Within::BlockComment) at = readUntil(line, at, "*/");
      else if (within == Within::RawString) at = readUntil(line, at, rawEnd);
      else at = readQuotes(line, at);
    }
    // These end with their line, closed or not, unless it goes on.
    bool endsWithLine = within == Within::LineComment || within == Within::Quotes;
    if (endsWithLine && !line.ends_with('\\')) within = Within::Code;
    out.endsInCode = within == Within::Code;
    return out;
  }
};

}  // namespace

std::vector<LexedLine> lexedLines(const Text& text) {
  std::vector<LexedLine> out;
  out.reserve(text.lines());
  Lexer lexer;
  for (std::size_t i = 0; i < text.lines(); ++i) out.push_back(lexer.read(text.line(i)));
  return out;
}

}  // namespace kadvise::lsp
