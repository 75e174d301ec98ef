#include "analyzer/source/place.h"

namespace kadvise::source {
namespace {

// With its indentation: columns count it.
std::string lineAt(const clang::SourceManager& sources, clang::SourceLocation at) {
  auto [file, offset] = sources.getDecomposedLoc(at);
  llvm::StringRef text = sources.getBufferData(file);
  auto begin = text.rfind('\n', offset), end = text.find('\n', offset);
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  if (offset > 0 && offset <= text.size() && text[offset - 1] == '\n') begin = offset;
  return text.slice(begin, end).rtrim().str();
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

std::optional<unsigned> offsetOf(const Unit& unit, clang::SourceLocation at) {
  at = unit.sources.getFileLoc(at);
  if (at.isInvalid() || !unit.sources.isInMainFile(at)) return std::nullopt;
  return unit.sources.getFileOffset(at);
}

std::optional<Edit> editOf(const Unit& unit, clang::CharSourceRange range, const std::string& text) {
  auto written = clang::tooling::getFileRangeForEdit(range, unit.context, /*IncludeMacroExpansion=*/true);
  if (!written || !unit.sources.isInMainFile(written->getBegin())) return std::nullopt;
  unsigned begin = unit.sources.getFileOffset(written->getBegin());
  unsigned end = unit.sources.getFileOffset(written->getEnd());
  if (end < begin) return std::nullopt;
  return Edit{unit.file, begin, end - begin, text};
}

std::string textOf(const Unit& unit, clang::SourceRange range) {
  auto written = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range), unit.sources,
                                                 unit.context.getLangOpts());
  if (written.isInvalid()) return "";
  return clang::Lexer::getSourceText(written, unit.sources, unit.context.getLangOpts()).str();
}

}  // namespace kadvise::source
