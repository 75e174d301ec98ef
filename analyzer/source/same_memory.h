// Pointers that a call hands over and that lead to the same memory, as far as the source shows.
#pragma once

#include <utility>
#include <vector>

#include "analyzer/core/source_record.h"
#include "analyzer/source/analyses.h"

namespace kadvise::source {

// Pairs of arguments that are counted from one variable: k(x, x), k(x, x + n), k(t.data_ptr(), t.data_ptr()).
std::vector<ArgumentPair> overlapsOf(const clang::CallExpr&);

// Whether some launch or call in the run hands over one memory for both parameters, through host functions
// too.
bool areOneMemory(Analyses&, const clang::FunctionDecl&, int first, int second);

}  // namespace kadvise::source
