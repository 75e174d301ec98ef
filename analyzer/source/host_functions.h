// What in a file runs on the host.
#pragma once

#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

// Functions with a body in the file itself, templates as they are written, lambdas not among them.
std::vector<const clang::FunctionDecl*> hostFunctionsOf(const Unit&);

// Of the function that is called directly; "" for operators and what a template leaves open.
llvm::StringRef calleeName(const clang::CallExpr&);

}  // namespace kadvise::source
