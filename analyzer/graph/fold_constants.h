// LibTorch's folding of constants, kept from changing what the module computes.
#pragma once

#include <memory>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// While this lives, three kinds of tensors are computed at every call, though they hang on constants alone:
// those that forward hands out, since the caller may write to each; those without dimensions that an
// operator of arithmetic has as its second operand, since LibTorch's executor makes numbers of such
// constants, which promote otherwise; and those that say where the module is (fold.h).
class HeldTensors {
 public:
  explicit HeldTensors(const std::shared_ptr<torch::jit::Graph>&);
  // In the graph, or in a copy of it.
  void release(torch::jit::Graph&) const;

 private:
  std::shared_ptr<torch::jit::Source> mark_;
};

void foldConstants(const std::shared_ptr<torch::jit::Graph>&);
void mergeEqual(const std::shared_ptr<torch::jit::Graph>&);  // common subexpressions

}  // namespace kadvise::graph
