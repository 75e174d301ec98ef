// Accesses that a thread makes once, in kernels whose loops make most of them: what they waste is little.
#pragma once

#include <vector>

#include "analyzer/source/warp_access.h"

namespace kadvise::source {

// all: of the kernel, in the same kind of memory.
bool isBesideLoops(const Unit&, const WarpAccess&, const std::vector<WarpAccess>& all);

// Beside loops of many turns, or of unknown length, without a fault of their own; or beside copies that the
// kernel writes in assembly.
bool isBesideLongLoops(const Unit&, const clang::FunctionDecl& kernel, const WarpAccess&,
                       const std::vector<WarpAccess>& all,
                       llvm::function_ref<bool(const WarpAccess&)> isFault);

// One column beside a tile whose rows a loop takes side by side: the edge of its array.
bool isEdgeOfTile(const Unit&, const WarpAccess&, const std::vector<WarpAccess>& all);

}  // namespace kadvise::source
