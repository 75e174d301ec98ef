// Arithmetic that the source spells in double precision and the compiler does in single.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

// One sum, difference, product or quotient of a float and a constant that a float holds exactly, whose result
// is narrowed to float at once: rounded twice it is what single precision gives (Figueroa, "When is double
// rounding innocuous?", 1995), and compilers do it so. Or one of constants alone, which no device computes.
bool isDoneInFloat(const clang::ASTContext&, const clang::BinaryOperator&);

}  // namespace kadvise::source
