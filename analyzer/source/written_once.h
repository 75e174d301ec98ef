// Variables whose initialiser is their value wherever they are read.
#pragma once

#include "analyzer/source/unit.h"

namespace kadvise::source {

// Initialised, and never assigned, incremented, bound to a reference or pointed at in its function. A
// parameter or a global that is not constant is none.
bool isWrittenOnce(const Unit&, const clang::VarDecl&);

// A parameter that has the caller's value wherever it is read.
bool isNeverWritten(const Unit&, const clang::ParmVarDecl&);

}  // namespace kadvise::source
