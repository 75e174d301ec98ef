// Values that a source says: of integers, and of the three extents of a dim3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analyzer/source/unit.h"

namespace kadvise::source {

// Parameters of a host function at one of its calls: what the caller gives for them.
using Arguments = std::map<const clang::ParmVarDecl*, const clang::Expr*>;

// The value of an integer expression: constants, local variables that are set once to one, and parameters
// that arguments give one.
std::optional<std::int64_t> constantOf(const Unit&, const clang::Expr*, const Arguments& = {});

// Of a dim3: dim3(16, 16), a number, or a variable that was made so once.
Extent extentOf(const Unit&, const clang::Expr*, const Arguments& = {});

// Parameters that the value of an expression hangs on, through variables that are set once.
std::vector<const clang::ParmVarDecl*> parametersIn(const Unit&, const clang::Expr*);

}  // namespace kadvise::source
