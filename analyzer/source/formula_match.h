// Where a formula of a page stands in what a function computes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "analyzer/source/formula.h"
#include "analyzer/source/tensor_values.h"

namespace kadvise::source {

struct NamedValue {
  int value = 0;
  const clang::Expr* written = nullptr;
};

struct FormulaMatch {
  std::map<std::string, NamedValue> named;  // what the formula's names stand for
  std::map<int, int> inner;          // operators that it is made of, with how often; the root not among them
};

// The value with that id and what it is made of, whatever the order of sums and products. None where a step
// in between is used for something else too.
std::optional<FormulaMatch> matchAt(const Unit&, const TensorValues&, int root, const Formula&);

}  // namespace kadvise::source
