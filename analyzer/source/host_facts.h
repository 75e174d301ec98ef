// What a host function made sure of before a statement: guards that are in force, checks of tensors.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyzer/source/tensor_calls.h"

namespace kadvise::source {

// Statements that have run whenever this one runs: those before it in the blocks around it, from inside out,
// up to the function. A lambda's are those of its function, too.
std::vector<const clang::Stmt*> statementsBefore(const Unit&, const clang::Stmt*);

// A CUDAGuard or its like is alive there, or the device was set by hand.
bool isDeviceGuarded(const std::vector<const clang::Stmt*>& before);
bool isStreamGuarded(const std::vector<const clang::Stmt*>& before);

// The body asks for the error of a launch: cudaGetLastError, a checked synchronisation, or a function of the
// project with check or error in its name. callees, when given: the functions that the body names.
bool looksForErrors(const Unit&, const clang::FunctionDecl&,
                    std::set<const clang::FunctionDecl*>* callees = nullptr);

// What is known of a tensor that a call is given; the words of CallRecord::arguments. Empty for others.
std::vector<std::string> tensorFacts(const std::vector<const clang::Stmt*>& before,
                                     const clang::Expr* argument);

}  // namespace kadvise::source
