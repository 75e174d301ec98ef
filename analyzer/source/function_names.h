// Functions as other files name them.
#pragma once

#include "analyzer/source/unit.h"

namespace kadvise::source {

FunctionName nameForOthers(const Unit&, const clang::FunctionDecl&);

}  // namespace kadvise::source
