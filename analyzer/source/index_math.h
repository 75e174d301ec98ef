// What a file says of the width of its indices.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// LibTorch's canUse32BitIndexMath is called: the host looks whether sizes fit into 32 bits.
bool asksForNarrowIndices(clang::ASTContext&);

}  // namespace kadvise::source
