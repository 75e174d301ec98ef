// What each value depends on: data of the inputs, of parameters, random numbers; or on shapes and constants
// alone.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

class Dependence {
 public:
  explicit Dependence(torch::jit::Graph&);

  // On the numbers in a tensor. Size arithmetic (x.size(0) // 2, and what traces make of it) is not, unless
  // the numbers decide the size (x.nonzero().size(0)); a constant tensor is not either.
  bool onData(const torch::jit::Value* v) const { return sourcesOf(v) != 0; }
  // The same for every input of equal shapes: parameters may take part, inputs and random numbers do not.
  bool onShapesOnly(const torch::jit::Value* v) const { return (sourcesOf(v) & ~kParameters) == 0; }
  // On how many rows data chose (x.nonzero().size(0)) and on nothing else of it.
  bool onRowCountOnly(const torch::jit::Value* v) const { return sourcesOf(v) == kRowCount; }
  bool onParameters(const torch::jit::Value* v) const { return (sourcesOf(v) & kParameters) != 0; }

 private:
  using Sources = std::uint8_t;
  using SourcesOf = std::unordered_map<const torch::jit::Value*, Sources>;
  static constexpr Sources kInputs = 1, kParameters = 2, kRandom = 4, kRowCount = 8;

  Sources sourcesOf(const torch::jit::Value*) const;
  static bool add(SourcesOf&, const torch::jit::Value*, Sources);
  bool add(const torch::jit::Value* v, Sources more) { return add(sources_, v, more); }
  Sources join(at::ArrayRef<const torch::jit::Value*>) const;
  bool carryBlocks(const torch::jit::Node*);
  bool carryWrites(const torch::jit::Node*);
  bool carryRows(const torch::jit::Node*);
  bool carry(const torch::jit::Node*);

  SourcesOf sources_;
  SourcesOf rows_;  // tensors, and lists of tensors and of sizes, whose first size depends on these
};

// Operators that hand a tensor's numbers to the host: item, Int, Float, Bool, tolist, equal, ….
bool readsOnHost(const torch::jit::Node*);

// Tensors, and containers with tensors in them.
bool holdsTensors(const c10::TypePtr&);

// LibTorch's own tag of the operator, such as at::Tag::data_dependent_output.
bool hasTag(const torch::jit::Node*, at::Tag);

}  // namespace kadvise::graph
