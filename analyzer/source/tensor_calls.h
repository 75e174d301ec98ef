// A call of a LibTorch operator, however it is spelt: a function of at:: or torch::, a method, an operator of
// C++, in place or not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

bool isTensor(clang::QualType);  // at::Tensor itself, or a reference to one

// Without what the compiler adds around a value: casts, copies, temporaries, std::move.
const clang::Expr* bareExpr(const clang::Expr*);

struct TensorCall {
  std::string word;                           // by its plain name, without the _ of one in place
  std::vector<const clang::Expr*> operands;   // the tensor of a method first; without those not given
  bool isInPlace = false;
  bool isMethod = false;
};
std::optional<TensorCall> tensorCallOf(const clang::Expr* bare);

// A constant, also one made of constants by arithmetic, sqrt and variables that are set once; the only one
// of a list, {-1}, too.
std::optional<double> numberOf(const Unit&, const clang::Expr*);

// The one thing in a list or behind a conversion: {x}, Scalar(2), IntArrayRef({-1}); null for anything else.
const clang::Expr* onlyPart(const clang::Expr*);

// The local variable or parameter that is named; null for anything else.
const clang::VarDecl* variableOf(const clang::Expr* bare);

}  // namespace kadvise::source
