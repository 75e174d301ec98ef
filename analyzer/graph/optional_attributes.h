// Attributes of the module that may be None: a bias that some layers have.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

bool isOptionalTensor(const c10::TypePtr&);

// Freezing with parameters kept leaves in the graph what the module has of them. What is None becomes a
// constant, and what is a tensor is of that type, so that peephole() answers whether it is None. What forward
// assigns may be another thing in the next call, and stays.
void settleOptionalAttributes(torch::jit::Graph&, const torch::jit::Module&);

// The source text that a module is saved as says where an optional attribute is read as a tensor; while this
// lives, its graphs do so.
class CastOptionals {
 public:
  explicit CastOptionals(const torch::jit::Module&);
  ~CastOptionals();
  CastOptionals(const CastOptionals&) = delete;
  CastOptionals& operator=(const CastOptionals&) = delete;

 private:
  std::vector<torch::jit::Node*> casts_;
};

}  // namespace kadvise::graph
