// What every call in sight gives for an extent: launches of kernels, calls of functions.
#pragma once

#include <map>
#include <vector>

#include "analyzer/core/source_record.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

// Integers of 64 bits that hold at most 32: counted in 32 bits before, or constants that fit.
class NarrowArguments {
 public:
  explicit NarrowArguments(clang::ASTContext&);

  bool isNarrow(const clang::Expr& argument);
  // Whether the function of this parameter is called, and each call gives it such an integer.
  bool isGivenNarrow(const clang::ParmVarDecl&);

  // Which arguments of a call are of 64 bits by the parameter's type, and narrow.
  std::vector<int> of(const clang::CallExpr&, const clang::FunctionDecl& callee);

 private:
  bool isNarrowValue(const clang::VarDecl&);

  clang::ASTContext& context_;
  std::map<const clang::FunctionDecl*, std::vector<const clang::CallExpr*>> calls_;
  std::map<const clang::VarDecl*, bool> known_;  // false while it is looked at
  int depth_ = 0;
};

// Notes on the parameters themselves, where matchers see it, what the launches and calls of other files give.
void noteGivenElsewhere(const Unit&);

// Whether each launch in the file gives the parameter a constant of at most a tile or a parameter of a
// template: a size of the code's, not of the data's.
bool isGivenSmall(clang::ASTContext&, const clang::ParmVarDecl&);

}  // namespace kadvise::source
