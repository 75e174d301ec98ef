// What in a file runs on the host.
#pragma once

#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

struct HostScope {
  bool withInstances = false;  // of templates, behind these as they are written
  bool withBoth = false;       // functions that the device runs, too
};

// Functions with a body in the file itself, lambdas not among them: they are parts of others.
std::vector<const clang::FunctionDecl*> hostFunctionsOf(const Unit&, HostScope = {});

// A name, its address, or of templates and overloads the only one that it may mean; null for what names none.
const clang::FunctionDecl* functionNamedBy(const clang::Expr*);

// Of the function that is called directly; "" for operators and what a template leaves open.
llvm::StringRef calleeName(const clang::CallExpr&);

}  // namespace kadvise::source
