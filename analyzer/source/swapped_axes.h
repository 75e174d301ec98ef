// Kernels that give threadIdx.x, by which lanes are counted, the wrong dimension.
#pragma once

#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/source/analyses.h"

namespace kadvise::source {

struct Swap {
  bool helps = false;      // no access is wasteful any more, and no other becomes so
  std::vector<Fix> fixes;  // where the block is known to be a square
};

Swap swapOf(Analyses&, const clang::FunctionDecl& kernel, const std::vector<WarpAccess>& asItIs);

}  // namespace kadvise::source
