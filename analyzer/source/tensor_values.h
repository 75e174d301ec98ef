// What a host function computes with LibTorch, as values: each operator with its operands, whatever variables
// and spellings stand between. A variable that is assigned, or written in place, has a new value from there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/tensor_calls.h"

namespace kadvise::source {

struct TensorValue {
  std::string word;                // the operator; "" for what comes from elsewhere
  std::vector<int> operands;       // ids of values
  std::vector<const clang::Expr*> spelt;  // how each operand is written at this place
  const clang::Expr* written = nullptr;  // null for a parameter, and for what is not known any more
  std::optional<double> number;    // of a number that is constant
  bool isTensor = false;
  bool isInPlace = false;
  bool isKept = false;  // in a variable
  int uses = 0;         // a use in a loop behind it counts twice
  int loops = 0;        // around it
};

struct TensorValues {
  std::vector<TensorValue> values;

  const TensorValue& at(int id) const { return values[static_cast<std::size_t>(id)]; }
  // Whether two are certainly equal: the same, or the same operator over equal ones.
  bool areEqual(const Unit&, int, int) const;
};

// Of a function with a body.
TensorValues tensorValuesOf(const Unit&, const clang::FunctionDecl&);

// Functions of the file that run on the host, templates as they are written.
std::vector<const clang::FunctionDecl*> hostFunctionsOf(const Unit&);

}  // namespace kadvise::source
