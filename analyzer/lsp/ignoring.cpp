#include "analyzer/lsp/ignoring.h"

#include <string_view>

namespace kadvise::lsp {
namespace {

constexpr std::string_view kOpen = "kadvise: ignore[", kOpenFile = "kadvise: ignore-file[";

bool goesOn(std::string_view line) { return !line.empty() && line.back() == '\\'; }

// "rule" in a list that the line has already; none where it has no such list.
std::optional<TextEdit> inList(const Text& text, const LexedLine& lexed, std::size_t line,
                               std::string_view open, const std::string& rule) {
  std::string_view words = text.line(line);
  if (lexed.comment == std::string_view::npos) return std::nullopt;
  auto at = words.find(open, lexed.comment);
  auto close = at == std::string_view::npos ? at : words.find(']', at);
  if (close == std::string_view::npos) return std::nullopt;
  std::size_t place = text.startOf(line) + close;
  bool isEmpty = words.substr(at + open.size(), close - at - open.size()).find_first_not_of(' ') ==
                 std::string_view::npos;
  return TextEdit{text.rangeOf(place, place), (isEmpty ? "" : ", ") + rule};
}

// As the text's other lines end.
std::string lineEndOf(const Text& text) {
  auto at = text.bytes().find('\n');
  return at != std::string::npos && at > 0 && text.bytes()[at - 1] == '\r' ? "\r\n" : "\n";
}

bool isOfSelector(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '-'; }

}  // namespace

std::optional<TextEdit> ignoreOnLine(const Text& text, const std::vector<LexedLine>& lines, std::size_t line,
                                     const std::string& rule) {
  if (line >= lines.size()) return std::nullopt;
  if (auto edit = inList(text, lines[line], line, kOpen, rule)) return edit;
  std::string_view words = text.line(line);
  std::string_view above = line > 0 ? text.line(line - 1) : std::string_view();
  bool isAboveOurs = line > 0 && lines[line - 1].comment == above.find_first_not_of(" \t");
  if (isAboveOurs)
    if (auto edit = inList(text, lines[line - 1], line - 1, kOpen, rule)) return edit;
  std::string comment = "// " + std::string(kOpen) + rule + "]";
  bool hasRoom = !goesOn(words) && lines[line].endsInCode && lines[line].comment == std::string_view::npos;
  if (hasRoom) {
    auto last = words.find_last_not_of(" \t");
    std::size_t end = text.startOf(line) + (last == std::string_view::npos ? 0 : last + 1);
    return TextEdit{text.rangeOf(end, text.startOf(line) + words.size()), "  " + comment};
  }
  if (goesOn(above) || !lines[line].beginsInCode) return std::nullopt;
  auto indent = words.substr(0, std::min(words.find_first_not_of(" \t"), words.size()));
  std::size_t start = text.startOf(line);
  return TextEdit{text.rangeOf(start, start), std::string(indent) + comment + lineEndOf(text)};
}

TextEdit ignoreInFile(const Text& text, const std::vector<LexedLine>& lines, const std::string& rule) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (auto edit = inList(text, lines[i], i, kOpenFile, rule)) return *edit;
  std::size_t start = text.bytes().rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;  // behind a byte order mark
  return {text.rangeOf(start, start), "// " + std::string(kOpenFile) + rule + "]" + lineEndOf(text)};
}

std::string selectorAt(const Text& text, Position at) {
  std::string_view words = text.line(at.line);
  auto comment = std::min(words.find("kadvise:"), words.find("NOLINT"));
  std::size_t place = text.offsetOf(at) - text.startOf(at.line);
  if (comment == std::string_view::npos || place < comment) return "";
  std::size_t first = place, end = place;
  while (first > comment && isOfSelector(words[first - 1])) --first;
  while (end < words.size() && isOfSelector(words[end])) ++end;
  std::string out(words.substr(first, end - first));
  bool isInList = words.substr(comment, first - comment).find_first_of("[(") != std::string_view::npos;
  return isInList ? out : "";
}

}  // namespace kadvise::lsp
