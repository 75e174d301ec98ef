// The nodes that make a mask from sizes and constants, and what they make for other sizes.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/graph/node_facts.h"

namespace kadvise::graph {

struct MaskProgram {
  torch::jit::Value* mask = nullptr;
  std::vector<torch::jit::Node*> nodes;                                   // in execution order
  std::vector<std::pair<torch::jit::Value*, torch::jit::Value*>> tables;  // each with what its operators make
  std::vector<torch::jit::Value*> sizes;  // numbers that they start from: sizes of what depends on data
  std::string whyNot;                     // when the mask is made of anything else

  // What the program makes for a value that its nodes read: itself, but for that of a table.
  const torch::jit::Value* made(const torch::jit::Value*) const;
};
MaskProgram maskProgramOf(torch::jit::Value* mask, GraphFacts&);

// The mask for the given sizes, computed on the CPU; nullopt where an operator refuses them.
using SizeValues = std::unordered_map<torch::jit::Value*, std::int64_t>;
std::optional<at::Tensor> maskFor(const MaskProgram&, const SizeValues&, const TracedValues&);

// Of the tensors that the program makes, as far as the run or a small one here tells.
using Dtypes = std::unordered_map<const torch::jit::Value*, at::ScalarType>;
Dtypes dtypesOf(const MaskProgram&, const SizeValues& seen, const TracedValues&);

// The numbers and tables among the program's constants, on which it may depend from some length on.
std::vector<std::int64_t> lengthsInside(const MaskProgram&);

}  // namespace kadvise::graph
