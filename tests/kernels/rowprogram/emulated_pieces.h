// Cases of emulated kernels that compute the pieces of a concatenation.
#pragma once

#include "kernels/rowprogram/program.h"
#include "tests/kernels/rowprogram/emulated.h"

#include <memory>

namespace kadvise::rowprogram {

struct Prepared {
  std::shared_ptr<const Program> program;  // of one kernel for one program
  std::vector<at::Tensor> outputs;         // what kernels write to,
  std::vector<at::Tensor> results;         // and what is to be compared: a whole where outputs are its pieces
  Source source;
  std::string problem;  // what kept it from being made
};

Prepared preparedPieces(const EmulatedCase&);
at::Tensor joinedPieces(const EmulatedCase&, const std::vector<at::Tensor>& inputs);  // by the interpreter

}  // namespace kadvise::rowprogram
