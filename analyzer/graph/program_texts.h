// The text of a generated kernel (kernels/rowprogram/program.h) as lines, for those who make one of two.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// A program of one output, in which no dimension is left out, without tables and lists.
struct SimpleProgram {
  int rank = 0;
  std::string reduced;  // the dimensions that its reductions go over, "2 3"; "": it goes over elements alone
  std::vector<std::string> inputs, statements;  // lines: "v0 = in bfloat16", "v2 = add v0 v1"
  std::string stored, dtype;                    // the name that is given out, and as what
  bool isContiguous = false;                    // it is stored so whatever the inputs are
};

std::optional<SimpleProgram> readSimpleProgram(const std::string& text);
SimpleProgram copyProgram(c10::ScalarType, std::size_t rank);
std::string textOf(const SimpleProgram&);

// `second` over what `first` gives out, which is its input of this number: rounded as `first` stores it,
// where that is shorter than float32. One of them may reduce, over dimensions of the larger rank. Reads the
// inputs of `first`, then the others of `second`.
SimpleProgram composed(const SimpleProgram& first, const SimpleProgram& second, std::size_t input);

}  // namespace kadvise::graph
