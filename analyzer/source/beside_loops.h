// Accesses that a thread makes once, in kernels whose loops make most of them: what they waste is little.
#pragma once

#include <vector>

#include "analyzer/source/warp_access.h"

namespace kadvise::source {

// all: of the kernel, in the same kind of memory.
bool isBesideLoops(const Unit&, const WarpAccess&, const std::vector<WarpAccess>& all);

// Outside of all loops, of the kernel and of the calls on the way.
bool isOnce(const Unit&, const WarpAccess&);

// "table[thread] = x[thread]", once: what is read goes straight into shared memory, to be read there.
bool isKeptInShared(const Unit&, const Courses&, const WarpAccess&);

// Whether a kernel has asynchronous copies or loads in assembly, which are no accesses here: they may be most
// of what it moves.
bool copiesInAssembly(const clang::FunctionDecl& kernel);

// Whether loops of many turns, or of unknown length, hold accesses, and none with a fault: what is done once
// beside them is little.
bool hasGoodLongLoops(const Unit&, const std::vector<WarpAccess>& all,
                      llvm::function_ref<bool(const WarpAccess&)> isFault);

// One column beside a tile whose rows a loop takes side by side: the edge of its array.
bool isEdgeOfTile(const Unit&, const WarpAccess&, const std::vector<WarpAccess>& all);

}  // namespace kadvise::source
