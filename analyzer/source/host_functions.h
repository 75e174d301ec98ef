// What in a file runs on the host.
#pragma once

#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

// Functions with a body in the file itself, templates as they are written, lambdas not among them.
std::vector<const clang::FunctionDecl*> hostFunctionsOf(const Unit&);

}  // namespace kadvise::source
