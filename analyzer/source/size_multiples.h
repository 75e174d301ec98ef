// Whether the source itself takes a size for a multiple of a warp or more: then no block is cut off at its
// end.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// A condition that threads disagree on only where some size is no multiple of the block, and the file says
// that it is one: "n % 128 == 0" of the host that launches, of the kernel, or of whatever looks at a field of
// that name; "n / 128" of the kernel without anything added, which would drop what is left over; or what is
// passed for it: the block itself, a multiple of it, or a product with what it is made of. So does one of a
// kernel that nobody launches where it may be the block's width.
bool isOfMultiples(Analyses&, const clang::FunctionDecl& kernel, const clang::Expr* condition);

// The same of what threads of one warp would disagree on; but how wide a block may be says nothing of them.
bool partsBetweenWarps(Analyses&, const clang::FunctionDecl& kernel, const clang::Expr* condition);

// A size in it is passed as a product with 32 or a multiple: it ends between two warps.
bool isOfWholeWarps(Analyses&, const clang::FunctionDecl& kernel, const clang::Expr* condition);

// Arguments of a launch, counted from 0.
struct MultipleArguments {
  std::vector<int> ofBlocks;  // "columns" or "rows * columns", where the block is made of columns
  std::vector<int> ofWarps;   // "n * 32"
};
MultipleArguments multipleArgumentsOf(const Unit&, const LaunchSite&);

}  // namespace kadvise::source
