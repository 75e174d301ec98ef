// LibTorch's folding of constants, kept from changing what the module computes.
#pragma once

#include <memory>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

enum class HeldFrom { Merging, Folding };

// While this lives, four kinds of tensors are computed at every call, though they hang on constants alone:
// those that forward hands out, since the caller may write to each; those without dimensions that an
// operator of arithmetic has as its second operand, since LibTorch's executor makes numbers of such
// constants, which promote otherwise; those that say where the module is (fold.h); and, from folding, those
// that are made on another device than the CPU, where all other constants are while a module is looked at.
class HeldTensors {
 public:
  HeldTensors(const std::shared_ptr<torch::jit::Graph>&, HeldFrom);
  // In the graph, or in a copy of it.
  void release(torch::jit::Graph&) const;

 private:
  std::shared_ptr<torch::jit::Source> mark_;
};

void foldConstants(const std::shared_ptr<torch::jit::Graph>&);
// Also what is made on another device, of a module that lies there and is not looked at any more.
void foldConstantsEverywhere(const std::shared_ptr<torch::jit::Graph>&);
void mergeEqual(const std::shared_ptr<torch::jit::Graph>&);  // common subexpressions

}  // namespace kadvise::graph
