// Numbers that a source fixes, though it takes a loop to say which.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/source/clang.h"

namespace kadvise::source {

// Made of constants and of local variables that are, under conditions that are: the same in every run.
// "for (size = 1; size * 16 < kBytes; size *= 2);" leaves such a size, argv, a parameter and a call do not.
bool isFixed(clang::ASTContext&, const clang::Expr&);

// All that a local variable is set to; none where it counts, is added to or is handed on, and may be
// anything.
std::optional<std::vector<const clang::Expr*>> valuesOf(const clang::VarDecl&);

}  // namespace kadvise::source
