// Operators of a graph as statements of a row program: how their operands lie beside each other, and what
// they compute. One table says which.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {

// An operator works in a space of dimensions: those of its result, or of its operand where it reduces.
struct RowOperator {
  struct Operand {
    const torch::jit::Value* value;
    std::vector<int> at;  // of each of its dimensions: which one of the space it is
    RowRead how = RowRead::Elements;
  };
  int rank = 0;
  std::vector<Operand> operands;
  std::vector<int> result;   // of each dimension of the results: which one of the space it is
  std::vector<int> reduced;  // of the space, ascending
  bool isReduction = false;  // its results have no elements, or one, along those
  bool isView = false;
  bool staysAlone = false;  // in a program of its own, unless it alone reads what many elements become
  bool isBias =
      false;  // the last pass of a product (row_bias.h): what the node reads is there before the program
  const torch::jit::Value* shapedAs = nullptr;  // of a reshape: whose sizes the result has in the program
  const RowWord* word = nullptr;

  bool isOfPairs() const { return isReduction && operands.size() > 1; }
  void write(const torch::jit::Node* n, RowWriter& w) const { word->write(n, w, word->word); }
};

// Whether dtypes and devices are such that a program can read its operands and write its results: nullptr, or
// a word of kLeftOut (region_share.h).
const char* whyNotRead(const torch::jit::Node*, const RowOperator&, const TracedValues&);

// nullopt for what a row program cannot say; why: a word of kLeftOut (region_share.h).
std::optional<RowOperator> rowOperatorOf(const torch::jit::Node*, const TracedValues&, std::string& why);

}  // namespace kadvise::graph
