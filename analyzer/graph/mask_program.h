// The nodes that make a mask from sizes and constants, and what they make for other sizes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/graph/node_facts.h"

namespace kadvise::graph {

struct MaskProgram {
  torch::jit::Value* mask = nullptr;
  std::vector<torch::jit::Node*> nodes;   // in execution order
  std::vector<torch::jit::Value*> sizes;  // numbers that they start from: sizes of what depends on data
  std::string whyNot;                     // when the mask is made of anything else
};
MaskProgram maskProgramOf(torch::jit::Value* mask, GraphFacts&);

// The mask for the given sizes, computed on the CPU; nullopt where an operator refuses them.
using SizeValues = std::unordered_map<torch::jit::Value*, std::int64_t>;
std::optional<at::Tensor> maskFor(const MaskProgram&, const SizeValues&, const TracedValues&);

// The numbers and tables among the program's constants, on which it may depend from some length on.
std::vector<std::int64_t> lengthsInside(const MaskProgram&);

}  // namespace kadvise::graph
