// What the distance between lanes is made of.
#pragma once

#include "analyzer/source/analyses.h"

namespace kadvise::source {

// The distance is a multiple of a parameter that may as well be 1 or 0: of tensors' strides the last is 1,
// and a flag that picks one scale for all or one for each column is 0. A parameter that an index is compared
// with or divided by is an extent, and so is one that another index is added to: "row * n + column".
bool mayBeOne(Analyses&, const clang::FunctionDecl& kernel, const WarpAccess&);

// A loop around it goes on to the next element each turn, whatever the loops around that one do.
bool countsOn(const Courses&, const clang::Expr* element);

// Of a template that nothing here instantiates, by an index that its parameters decide: they may be any.
bool isOfOpenTemplate(const clang::FunctionDecl& kernel, const WarpAccess&);

}  // namespace kadvise::source
