// The promise with __restrict__ that the pointers of a kernel lie apart.
#pragma once

#include <vector>

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// Whether some launch in the run hands over one memory for both, of which one may be written.
bool mayBreakPromise(Analyses&, const clang::FunctionDecl& kernel, const clang::ParmVarDecl&,
                     const clang::ParmVarDecl&);

// None where a launch in the run breaks the promise, or a parameter has no place for the word.
std::vector<Fix> restricting(Analyses&, const clang::FunctionDecl& kernel);

}  // namespace kadvise::source
