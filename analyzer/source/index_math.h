// What a file says of the width of its indices.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// LibTorch's canUse32BitIndexMath is called: the host looks whether sizes fit into 32 bits.
bool asksForNarrowIndices(clang::ASTContext&);

// Something is compared with the largest number of 32 bits, or the first beyond: INT_MAX, 1ll << 32.
bool comparesWithNarrowLimit(clang::ASTContext&);

}  // namespace kadvise::source
