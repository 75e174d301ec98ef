#include "analyzer/lsp/markdown.h"

#include <algorithm>

#include "analyzer/core/utf8.h"

namespace kadvise::lsp {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isOfWord(char c) { return isLetter(c) || isDigit(c) || static_cast<unsigned char>(c) >= 0x80; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\0'; }

// Of one line, without the blanks before it.
struct Line {
  std::string_view text;
  char at(std::size_t i) const { return i < text.size() ? text[i] : '\0'; }
  char before(std::size_t i) const { return i > 0 ? text[i - 1] : '\0'; }

  // A heading, a list, a quotation, a table or a rule begins here.
  bool beginsBlock(std::size_t i) const {
    if (i == 0) return std::string_view("#>+-=|:*").find(text[0]) != std::string_view::npos;
    bool isNumber = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), isDigit);
    return isNumber && (text[i] == '.' || text[i] == ')');
  }
  bool endsWww(std::size_t i) const {
    if (i < 3) return false;
    auto w = text.substr(i - 3, 3);
    return std::all_of(w.begin(), w.end(), [](char c) { return c == 'w' || c == 'W'; });
  }

  // Escaped only where it would mean something: clients that show the bare text show these marks, too.
  bool isActive(std::size_t i) const {
    char c = text[i], next = at(i + 1), last = before(i);
    if (beginsBlock(i)) return true;
    switch (c) {
      case '\\':
      case '`':
      case '[':
      case '~':
        return true;
      case '*':
        return !(isBlank(last) && isBlank(next));
      case '_':
        return !(isOfWord(last) && isOfWord(next));
      case '<':
        return isLetter(next) || next == '/' || next == '!' || next == '?';
      case '&':
        return isLetter(next) || isDigit(next) || next == '#';
      case ':':
        return next == '/';
      case '.':
        return endsWww(i);
      case '@':
        return !isBlank(last) && !isBlank(next);
      default:
        return false;
    }
  }
};

std::string escapedLine(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));  // four blanks would be code
  Line line{text};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto close = text[i] == '`' ? text.find('`', i + 1) : std::string_view::npos;
    if (close != std::string_view::npos && close > i + 1) {
      // Two runs of backticks that touch would be read as one.
      out += (out.ends_with('`') ? " " : "") + codeSpan(text.substr(i + 1, close - i - 1));
      i = close;
      continue;
    }
    if (line.isActive(i)) out += '\\';
    out += text[i];
  }
  return out;
}

std::string namesOf(const Passage& p, bool isMarkdown) {
  std::string out;
  for (auto& name : p.names) out += (out.empty() ? "" : ", ") + (isMarkdown ? codeSpan(name) : name);
  return p.text + (p.text.empty() ? "" : " ") + out;
}

}  // namespace

std::string escapedWords(std::string_view words) {
  std::string text = visible(words), out;
  for (std::size_t first = 0; first <= text.size();) {
    std::size_t end = std::min(text.find('\n', first), text.size());
    // A line of the text is a line of the page.
    bool follows = !out.empty() && !out.ends_with('\n') && end > first;
    out += (follows ? "  \n" : out.empty() ? "" : "\n");
    out += escapedLine(std::string_view(text).substr(first, end - first));
    first = end + 1;
  }
  return out;
}

std::string codeSpan(std::string_view code) {
  std::string text = visible(code);
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::size_t longest = 0, run = 0;
  for (char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  std::string fence(longest + 1, '`');
  bool needsRoom = text.starts_with('`') || text.ends_with('`') || text.empty();
  return fence + (needsRoom ? " " + text + " " : text) + fence;
}

std::string rendered(const std::vector<Passage>& passages, bool isMarkdown) {
  std::string out;
  for (auto& p : passages) {
    if (!out.empty()) out += "\n\n";
    if (p.kind == Passage::Kind::Code) out += namesOf(p, isMarkdown);
    else out += p.kind == Passage::Kind::Words && isMarkdown ? escapedWords(p.text) : p.text;
  }
  return out;
}

}  // namespace kadvise::lsp
