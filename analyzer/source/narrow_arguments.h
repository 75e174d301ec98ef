// What every launch in sight gives for an extent.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// Whether the kernel of this parameter is launched in the file, and each launch gives it an integer of at
// most 32 bits or a constant that such an integer holds.
bool isGivenNarrow(clang::ASTContext&, const clang::ParmVarDecl&);

// The same, and each launch gives it a constant of at most a tile or a parameter of a template: a size of the
// code's, not of the data's.
bool isGivenSmall(clang::ASTContext&, const clang::ParmVarDecl&);

}  // namespace kadvise::source
