// Whether neighbours fall together by a quotient, where no source says how many of them.
#pragma once

#include "analyzer/source/induction.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

// A place within a row, "i % width", that is divided by what is not constant: less than the row, it may be 2.
// Through variables that keep their first value.
bool isOfDividedPlace(const Unit&, const Courses&, const clang::Expr&);

}  // namespace kadvise::source
