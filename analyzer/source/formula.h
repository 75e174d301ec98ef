// What a page says of tensors in C++, one formula a line:
//
//   let centred = x - mean(x, dim:any, true)
//   centred / sqrt(mean(square(centred), dim:any, true) + eps:number)
//
// A name stands for one tensor, name:number for a number, name:any for whatever is there; the same name is
// the same value. A name that was given with let stands for its formula, a | b for either, and ... as the
// last operand for any others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/core/rule_page.h"

namespace kadvise::source {

struct Formula {
  enum class Kind { Tensor, Number, Any, Constant, Operator, Either };
  Kind kind = Kind::Tensor;
  std::string name;      // of what it stands for, or of the operator
  double constant = 0;
  std::vector<std::shared_ptr<const Formula>> parts;  // operands, or the forms of Either
  bool takesMore = false;  // any operands behind these
};
using FormulaPtr = std::shared_ptr<const Formula>;

// Throws Error{"page.md:line", …}.
std::vector<FormulaPtr> parseFormulas(const RulePage&, const Fence&);

}  // namespace kadvise::source
