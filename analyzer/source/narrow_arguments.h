// Extents of 64 bits that every launch in sight fills from 32.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// Whether the kernel of this parameter is launched in the file, and each launch gives it an integer of at
// most 32 bits or a constant that such an integer holds.
bool isGivenNarrow(clang::ASTContext&, const clang::ParmVarDecl&);

}  // namespace kadvise::source
