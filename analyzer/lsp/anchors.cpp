// Where findings of a report stand in the text of today.
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {
namespace {

constexpr const char* kLineChanged = "measured before this line changed: ";
constexpr const char* kFileChanged = "measured before this file changed: ";
constexpr const char* kModuleChanged = "measured before the module was written anew: ";

std::size_t lineOf(const Location& where) {
  return where.line > 0 ? static_cast<std::size_t>(where.line) - 1 : 0;
}

long distance(std::size_t line, long place) { return std::abs(static_cast<long>(line) - place); }

// Of a finding that is shown: its line may have moved, so its columns count only where they still fit.
Range rangeAt(const Text& text, const Location& where, std::size_t line) {
  Location there = where;
  there.line = static_cast<int>(line) + 1;
  there.endLine = where.endLine == where.line ? there.line : 0;
  bool isWhere = wordsOfLine(text.line(line)) == wordsOfLine(where.snippet) && lineOf(where) == line;
  if (!isWhere) there.column = there.endColumn = there.endLine = 0;
  return rangeIn(text, there);
}

Shown shownOf(const ModelReport& report, const ModelFinding& f, const Text& text,
              std::optional<std::size_t> line, bool isFileNewer) {
  // Without the line's text nothing tells whether it is still the one that was measured.
  bool isUnknown = f.where.snippet.empty() && isFileNewer;
  const char* old = !line            ? kLineChanged
                    : report.isStale ? kModuleChanged
                    : isUnknown      ? kFileChanged
                                     : nullptr;
  Shown s;
  s.kind = Kind::Model;
  s.id = f.id, s.rule = f.rule, s.report = report.path.string(), s.detail = f.detail;
  s.severity = old ? Severity::Note : f.severity;
  s.isUnnecessary = old != nullptr;
  s.message = (old ? old : "") + f.message;
  if (old && !s.detail.empty()) s.detail.front().text = s.message;
  s.range = rangeAt(text, f.where, line.value_or(std::min(lineOf(f.where), text.lines() - 1)));
  return s;
}

}  // namespace

LineIndex::LineIndex(const Text& text) : lines_(text.lines()) {
  for (std::size_t i = 0; i < lines_; ++i) byWords_[wordsOfLine(text.line(i))].push_back(i);
}

void LineIndex::learn(const Location& where) {
  auto known = byWords_.find(wordsOfLine(where.snippet));
  if (where.snippet.empty() || known == byWords_.end() || known->second.size() != 1) return;
  moved_[lineOf(where)] = static_cast<long>(known->second.front()) - static_cast<long>(lineOf(where));
}

// As far as the nearest line that is there only once.
long LineIndex::shiftAt(std::size_t line) const {
  if (moved_.empty()) return 0;
  auto above = moved_.lower_bound(line);
  if (above == moved_.end()) return std::prev(above)->second;
  if (above == moved_.begin()) return above->second;
  auto below = std::prev(above);
  return line - below->first < above->first - line ? below->second : above->second;
}

std::optional<std::size_t> LineIndex::anchorOf(const Location& where) const {
  std::size_t was = lineOf(where);
  std::string wanted = wordsOfLine(where.snippet);
  if (wanted.empty()) return was < lines_ ? std::optional(was) : std::nullopt;
  auto known = byWords_.find(wanted);
  if (known == byWords_.end()) return std::nullopt;
  long place = static_cast<long>(was) + shiftAt(was);
  auto nearer = [&](std::size_t a, std::size_t b) { return distance(a, place) < distance(b, place); };
  auto best = std::min_element(known->second.begin(), known->second.end(), nearer);
  auto isAsNear = [&](std::size_t line) { return distance(line, place) == distance(*best, place); };
  if (std::count_if(known->second.begin(), known->second.end(), isAsNear) > 1) return std::nullopt;
  return *best;
}

std::vector<Shown> shownOf(const ModelReport& report, const std::string& reported, const Text& text,
                           bool isFileNewer) {
  std::vector<Shown> out;
  LineIndex index(text);
  for (auto& f : report.findings)
    if (f.where.file == reported) index.learn(f.where);
  for (auto& f : report.findings)
    if (f.where.file == reported)
      out.push_back(shownOf(report, f, text, index.anchorOf(f.where), isFileNewer));
  return out;
}

}  // namespace kadvise::lsp
