// Where findings of a report stand in the text of today.
#include <algorithm>

#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {
namespace {

// Without the blanks around it and with single ones inside: an indentation that changed is no other line.
std::string wordsOf(std::string_view line) {
  std::string out;
  for (char c : line) {
    bool isBlank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!isBlank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::size_t lineOf(const Location& where) {
  return where.line > 0 ? static_cast<std::size_t>(where.line) - 1 : 0;
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// Of a finding that is shown: its line may have moved, so its columns count only where they still fit.
Range rangeAt(const Text& text, const Location& where, std::size_t line) {
  Location there = where;
  there.line = static_cast<int>(line) + 1;
  there.endLine = where.endLine == where.line ? there.line : 0;
  bool isWhere = wordsOf(text.line(line)) == wordsOf(where.snippet) && lineOf(where) == line;
  if (!isWhere) there.column = there.endColumn = there.endLine = 0;
  return rangeIn(text, there);
}

}  // namespace

Likeness likenessOf(const std::filesystem::path& reported, const std::filesystem::path& file) {
  if (reported.empty() || reported.filename() != file.filename()) return Likeness::None;
  if (reported.lexically_normal() == file) return Likeness::Same;
  return Likeness::Name;
}

LineIndex::LineIndex(const Text& text) : lines_(text.lines()) {
  for (std::size_t i = 0; i < lines_; ++i) byWords_[wordsOf(text.line(i))].push_back(i);
}

std::optional<std::size_t> LineIndex::anchorOf(const Location& where) const {
  std::size_t was = lineOf(where);
  std::string wanted = wordsOf(where.snippet);
  if (wanted.empty()) return was < lines_ ? std::optional(was) : std::nullopt;
  auto known = byWords_.find(wanted);
  if (known == byWords_.end()) return std::nullopt;
  auto nearer = [&](std::size_t a, std::size_t b) { return distance(a, was) < distance(b, was); };
  return *std::min_element(known->second.begin(), known->second.end(), nearer);
}

std::vector<Shown> shownOf(const ModelReport& report, const std::filesystem::path& file, const Text& text) {
  std::vector<Shown> out;
  bool isLike = std::any_of(report.findings.begin(), report.findings.end(),
                            [&](auto& f) { return likenessOf(f.where.file, file) != Likeness::None; });
  if (!isLike) return out;
  LineIndex index(text);
  bool isMeant = false;  // of a file that is like the reported one in name only: some line of it is there
  for (auto& f : report.findings) {
    Likeness likeness = likenessOf(f.where.file, file);
    if (likeness == Likeness::None) continue;
    auto line = index.anchorOf(f.where);
    bool isCertain = likeness == Likeness::Same || (line && !f.where.snippet.empty());
    isMeant |= isCertain;
    Shown s;
    s.kind = Kind::Model;
    s.id = f.id, s.rule = f.rule, s.report = report.path.string(), s.detail = f.detail;
    s.severity = line ? f.severity : Severity::Note;
    s.isUnnecessary = !line;
    s.message = line ? f.message : "the line that this was found on has changed since: " + f.message;
    s.range = rangeAt(text, f.where, line.value_or(std::min(lineOf(f.where), text.lines() - 1)));
    out.push_back(std::move(s));
  }
  if (!isMeant) out.clear();
  return out;
}

}  // namespace kadvise::lsp
