#include "analyzer/lsp/shown.h"

#include <algorithm>

#include "analyzer/core/utf8.h"
#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace {

enum Tag { kUnnecessary = 1, kDeprecated = 2 };

int severityNumber(Severity s) {
  switch (s) {
    case Severity::Error:
      return 1;
    case Severity::Warning:
      return 2;
    case Severity::Opportunity:
      return 3;
    case Severity::Note:
      break;
  }
  return 4;
}

std::size_t lineIndex(const Location& where) {
  return where.line > 0 ? static_cast<std::size_t>(where.line) - 1 : 0;
}

Range lineRange(const Text& text, std::size_t line) {
  line = std::min(line, text.lines() - 1);
  std::string_view words = text.line(line);
  auto first = words.find_first_not_of(" \t"), last = words.find_last_not_of(" \t");
  if (first == std::string_view::npos) first = 0, last = 0;
  else ++last;
  return text.rangeOf(text.startOf(line) + first, text.startOf(line) + last);
}

// An offset in bytes of a line and column from 1; none where the line is shorter.
std::optional<std::size_t> offsetOf(const Text& text, int line, int column) {
  if (line < 1 || column < 1 || static_cast<std::size_t>(line) > text.lines()) return std::nullopt;
  std::size_t at = static_cast<std::size_t>(column) - 1;
  if (at > text.line(static_cast<std::size_t>(line) - 1).size()) return std::nullopt;
  return text.startOf(static_cast<std::size_t>(line) - 1) + at;
}

// Of a file that cannot be read the line is all that is certain.
Range rangeElsewhere(const Location& where, FileTexts& texts) {
  if (auto* text = texts.of(where.file); text && lineIndex(where) < text->lines())
    return rangeIn(*text, where);
  return {{lineIndex(where), 0}, {lineIndex(where), 0}};
}

Json relatedOf(const Shown& shown, const DiagnosticPlace& place) {
  Json out = Json::array();
  if (!shown.finding) return out;
  auto own = std::filesystem::path(shown.finding->where.file).lexically_normal();
  for (auto& r : shown.finding->related) {
    bool isHere = r.file.empty() || std::filesystem::path(r.file).lexically_normal() == own;
    Range range = isHere ? rangeIn(place.text, r) : rangeElsewhere(r, place.others);
    out.push_back({{"location", {{"uri", isHere ? place.uri : uriOf(r.file)}, {"range", range}}},
                   {"message", r.note.empty() ? "see also" : visible(r.note)}});
  }
  return out;
}

bool isAboutDeprecation(const RulePage* page) {
  return page && std::find(page->tags.begin(), page->tags.end(), "deprecated") != page->tags.end();
}

}  // namespace

bool contains(const Range& r, Position p) { return r.start <= p && p <= r.end; }
bool touch(const Range& a, const Range& b) { return a.start <= b.end && b.start <= a.end; }

Range rangeIn(const Text& text, const Location& where) {
  auto first = offsetOf(text, where.line, where.column);
  if (!first) return lineRange(text, lineIndex(where));
  auto end = offsetOf(text, where.endLine, where.endColumn);
  if (end && *end > *first) return text.rangeOf(*first, *end);
  Range line = lineRange(text, lineIndex(where));
  return {text.positionOf(*first), std::max(line.end, text.positionOf(*first))};
}

std::vector<Shown> shownOf(const Text& text, const LintedFile& file, bool withSyntaxErrors) {
  std::vector<Shown> out;
  for (auto& f : file.findings) {
    Shown s;
    s.id = f.id, s.rule = f.rule, s.message = f.message, s.severity = f.severity;
    s.range = rangeIn(text, f.where);
    s.isUnnecessary = f.rule == "lint/unused-suppression";
    s.finding = &f;
    out.push_back(std::move(s));
  }
  if (!withSyntaxErrors) return out;
  for (auto& e : file.errors) {
    Shown s;
    s.kind = Kind::Language, s.message = e.message, s.severity = Severity::Error;
    s.range = lineRange(text, e.line > 0 ? static_cast<std::size_t>(e.line) - 1 : 0);
    out.push_back(std::move(s));
  }
  return out;
}

Json diagnosticOf(const Shown& s, const DiagnosticPlace& place) {
  auto& can = place.can;
  Json out = {{"range", s.range},
              {"severity", severityNumber(s.severity)},
              {"source", "kadvise"},
              {"message", visible(s.message)}};
  if (s.kind == Kind::Language) return out;
  auto* page = place.book.find(s.rule);
  out["code"] = s.rule;
  if (page && can.codeDescription) out["codeDescription"] = {{"href", uriOf(page->path)}};
  Json tags = Json::array();
  if (s.isUnnecessary) tags.push_back(kUnnecessary);
  if (isAboutDeprecation(page)) tags.push_back(kDeprecated);
  if (can.tags && !tags.empty()) out["tags"] = tags;
  if (Json related = relatedOf(s, place); can.relatedInformation && !related.empty())
    out["relatedInformation"] = related;
  out["data"] = {{"id", s.id}, {"kind", s.kind == Kind::Model ? "model" : "source"}, {"rule", s.rule}};
  if (!s.report.empty()) out["data"]["report"] = s.report;
  return out;
}

}  // namespace kadvise::lsp
