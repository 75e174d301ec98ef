// Lanes that read what another lane of their warp has, which may have returned.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// The condition behind which lanes may have returned that this call reads from; null for none. Only of the
// primitives by which lanes below read from above, since it is those above that a bounds check sends away.
const clang::Expr* readsReturned(Analyses&, const clang::FunctionDecl& kernel, const clang::CallExpr&);

// Whether a shuffle surely reads from lanes alone for which the condition is as it is for the reader: a row
// of 16 lanes that adds up among themselves, in or behind "row < rows".
bool readsLanesAlike(Analyses&, const clang::FunctionDecl& kernel, const clang::CallExpr&,
                     const clang::Expr* condition);

// "i < n" with a size that is not known: who is left out lies behind the end of the data. "lane < 8" is none.
bool isBoundsCheck(Analyses&, const clang::FunctionDecl& kernel, const clang::Expr* condition);

}  // namespace kadvise::source
