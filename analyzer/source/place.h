// Where something stands in the file that is read: for people, and for edits.
#pragma once

#include <optional>
#include <string>

#include "analyzer/core/types.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

// What a macro argument spells stands where it is spelt; what a macro's body spells stands where it is
// expanded.
Location placeOf(const Unit&, clang::SourceRange);
// A related place: what it has to do with the finding.
Location noted(Location, const char* note);
// Byte of the file where the range begins, by the same rule; none outside of the file.
std::optional<unsigned> offsetOf(const Unit&, clang::SourceLocation);

// Whether the language is broken there, so that the tree lacks what Clang did not understand.
bool hasErrors(const Unit&, clang::SourceRange);

// The file itself, or a header that is of no toolkit, not the system's and not kadvise's.
bool isOfProject(const clang::SourceManager&, const ProjectFolders&, clang::SourceLocation);

// The text of the file that the range covers; none where an end lies in a macro's body or another file, so
// that no edit of it would be an edit of this file alone.
std::optional<Edit> editOf(const Unit&, clang::CharSourceRange, const std::string& text);

// Takes a statement out up to its semicolon, and the whole of its line where nothing else stands there.
std::optional<Edit> removalOf(const Unit&, const clang::Stmt*);

// As it is written, "" where it is not written in this form (inside a macro).
std::string textOf(const Unit&, clang::SourceRange);

}  // namespace kadvise::source
