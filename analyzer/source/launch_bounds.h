// What the launches of a kernel say of the sizes that its threads are compared with.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// "i >= n", of the flat index of a thread in the grid, that no thread of any launch meets: each launch gives
// a constant n, and a constant grid of constant blocks that ends before it.
bool isBeyondAllLaunches(Analyses&, const clang::FunctionDecl& kernel, const clang::Expr* condition);

// "threadIdx.x >= n", with a parameter of a kernel that nobody launches as far as is known: as likely as not
// n is how wide its blocks are.
bool mayEndTheBlock(Analyses&, const clang::FunctionDecl& kernel, const clang::BinaryOperator& comparison);

}  // namespace kadvise::source
