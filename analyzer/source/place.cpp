#include "analyzer/source/place.h"

#include <algorithm>

#include "analyzer/core/utf8.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostOfLine = 500, kBeforePlace = 100;  // bytes

// Of a line that nobody wrote by hand, what is around the place.
std::string shownOf(llvm::StringRef line, std::size_t column) {
  if (line.size() <= kMostOfLine) return line.str();
  std::size_t from = column > kMostOfLine / 2 ? column - kBeforePlace : 0;
  std::string_view rest = line.substr(from);
  while (from > 0 && !rest.empty() && (static_cast<unsigned char>(rest[0]) & 0xC0) == 0x80)
    rest.remove_prefix(1);
  auto head = headOf(rest, kMostOfLine);
  return (from > 0 ? "…" : "") + std::string(head) + (head.size() < rest.size() ? "…" : "");
}

// With its indentation: columns count it.
std::string lineAt(const clang::SourceManager& sources, clang::SourceLocation at) {
  auto [file, offset] = sources.getDecomposedLoc(at);
  llvm::StringRef text = sources.getBufferData(file);
  auto begin = text.rfind('\n', offset), end = text.find('\n', offset);
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  if (offset > 0 && offset <= text.size() && text[offset - 1] == '\n') begin = offset;
  return shownOf(text.slice(begin, end).rtrim(), offset - std::min<std::size_t>(offset, begin));
}

}  // namespace

Location placeOf(const Unit& unit, clang::SourceRange range) {
  auto& sources = unit.sources;
  auto begin = sources.getFileLoc(range.getBegin()), last = sources.getFileLoc(range.getEnd());
  Location out;
  out.file = unit.file;
  if (begin.isInvalid()) return out;
  if (!sources.isWrittenInSameFile(begin, last) || sources.isBeforeInTranslationUnit(last, begin))
    last = begin;
  auto end = clang::Lexer::getLocForEndOfToken(last, 0, sources, unit.context.getLangOpts());
  if (end.isInvalid()) end = last;
  out.line = static_cast<int>(sources.getSpellingLineNumber(begin));
  out.column = static_cast<int>(sources.getSpellingColumnNumber(begin));
  out.endLine = static_cast<int>(sources.getSpellingLineNumber(end));
  out.endColumn = static_cast<int>(sources.getSpellingColumnNumber(end));
  out.snippet = lineAt(sources, begin);
  return out;
}

Location noted(Location where, const char* note) {
  where.note = note;
  return where;
}

bool isOfProject(const clang::SourceManager& sources, const ProjectFolders& folders,
                 clang::SourceLocation at) {
  at = sources.getExpansionLoc(at);
  if (at.isInvalid() || sources.isInMainFile(at)) return at.isValid();
  llvm::StringRef path = sources.getFilename(at);
  if (!folders.ours.empty() && path.starts_with(folders.ours)) return false;
  return !sources.isInSystemHeader(at) || std::any_of(folders.behind.begin(), folders.behind.end(),
                                                      [&](auto& folder) { return path.starts_with(folder); });
}

std::optional<unsigned> offsetOf(const Unit& unit, clang::SourceLocation at) {
  at = unit.sources.getFileLoc(at);
  if (at.isInvalid() || !unit.sources.isInMainFile(at)) return std::nullopt;
  return unit.sources.getFileOffset(at);
}

bool hasErrors(const Unit& unit, clang::SourceRange range) {
  auto begin = offsetOf(unit, range.getBegin()), end = offsetOf(unit, range.getEnd());
  return begin && end && unit.errorOffsets &&
         std::any_of(unit.errorOffsets->begin(), unit.errorOffsets->end(),
                     [&](unsigned e) { return e >= *begin && e <= *end; });
}

std::optional<Edit> editOf(const Unit& unit, clang::CharSourceRange range, const std::string& text) {
  auto written = clang::tooling::getFileRangeForEdit(range, unit.context, /*IncludeMacroExpansion=*/true);
  if (!written || !unit.sources.isInMainFile(written->getBegin())) return std::nullopt;
  unsigned begin = unit.sources.getFileOffset(written->getBegin());
  unsigned end = unit.sources.getFileOffset(written->getEnd());
  if (end < begin) return std::nullopt;
  return Edit{unit.file, begin, end - begin, text};
}

std::optional<Edit> removalOf(const Unit& unit, const clang::Stmt* s) {
  auto end = clang::Lexer::findLocationAfterToken(s->getEndLoc(), clang::tok::semi, unit.sources,
                                                  unit.context.getLangOpts(), false);
  if (end.isInvalid()) return std::nullopt;
  auto edit = editOf(unit, clang::CharSourceRange::getCharRange(s->getBeginLoc(), end), "");
  if (!edit) return std::nullopt;
  llvm::StringRef text = unit.sources.getBufferData(unit.sources.getMainFileID());
  std::size_t first = edit->offset, last = edit->offset + edit->length;
  while (first > 0 && (text[first - 1] == ' ' || text[first - 1] == '\t')) --first;
  while (last < text.size() && (text[last] == ' ' || text[last] == '\t' || text[last] == '\r')) ++last;
  bool isAlone = (first == 0 || text[first - 1] == '\n') && last < text.size() && text[last] == '\n';
  if (isAlone)
    edit->offset = static_cast<unsigned>(first), edit->length = static_cast<unsigned>(last + 1 - first);
  return edit;
}

std::string textOf(const Unit& unit, clang::SourceRange range) {
  auto written = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range), unit.sources,
                                                 unit.context.getLangOpts());
  if (written.isInvalid()) return "";
  return clang::Lexer::getSourceText(written, unit.sources, unit.context.getLangOpts()).str();
}

}  // namespace kadvise::source
