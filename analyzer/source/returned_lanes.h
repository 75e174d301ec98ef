// Lanes that read what another lane of their warp has, which may have returned.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// The condition behind which lanes may have returned that this call reads from; null for none. Only of the
// primitives by which lanes below read from above, since it is those above that a bounds check sends away.
const clang::Expr* readsReturned(Analyses&, const clang::FunctionDecl& kernel, const clang::CallExpr&);

}  // namespace kadvise::source
