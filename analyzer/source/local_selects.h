// Whether a compiler keeps an array of a thread in registers although an index picks among its elements: for
// a few accesses of a few words it selects.
#pragma once

#include <vector>

#include "analyzer/source/clang.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

// accesses: all whose index is not known when the kernel is compiled. As ptxas of CUDA 13.0 does it for
// sm_90, measured on kernels of one array each (stack frames that -Xptxas -v tells).
bool isSelected(const Unit&, const clang::VarDecl& array,
                const std::vector<const clang::ArraySubscriptExpr*>& accesses);

}  // namespace kadvise::source
