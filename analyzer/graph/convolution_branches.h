// What a convolution of an input may be a part of: convolutions, batch norms and the identity of it, which
// are added.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

using RowsAndColumns = std::array<std::int64_t, 2>;

// In eval mode, with statistics of its own.
struct BranchNorm {
  torch::jit::Node* node = nullptr;
  torch::jit::Value *gamma, *beta, *mean, *var;  // gamma, beta: nullptr for none
  double eps;
};

struct BranchKernel {
  torch::jit::Node* node = nullptr;
  torch::jit::Value *weight, *bias;  // bias: nullptr for none
  std::array<std::int64_t, 4> shape;
  RowsAndColumns stride, padding, dilation;
  std::int64_t groups;
};

// One of those that are added: what it makes of `of`. Without a kernel that is the identity, which the norm
// may scale; without either it is `of` itself.
struct Branch {
  torch::jit::Value *term, *of;
  std::optional<BranchKernel> kernel;
  std::optional<BranchNorm> norm;
};

std::optional<BranchNorm> branchNormOf(torch::jit::Node*);
Branch branchOf(torch::jit::Value* term, const TracedValues&);

// Those of one input that fit the largest kernel among them: the most there are; empty where those are not
// two.
std::vector<Branch> branchesOfOneKernel(const std::vector<Branch>&, const TracedValues&);
const BranchKernel& largestKernelOf(const std::vector<Branch>&);

}  // namespace kadvise::graph
