// Which values of a graph have one dtype, whatever the inputs are.
#pragma once

#include <string>
#include <unordered_map>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Of the graph as it was when this was made. "Not known" is no answer about the dtypes.
class SameDtype {
 public:
  explicit SameDtype(torch::jit::Graph&);

  bool isKnown(const torch::jit::Value*, const torch::jit::Value*) const;

 private:
  const torch::jit::Value* rootOf(const torch::jit::Value*) const;
  bool join(const torch::jit::Value*, const torch::jit::Value*);
  bool visit(torch::jit::Node*);
  bool joinBranches(torch::jit::Node*);
  bool joinAttribute(torch::jit::Node*);

  std::unordered_map<const torch::jit::Value*, const torch::jit::Value*> parent_;
  std::unordered_map<std::string, const torch::jit::Value*> attributes_;  // the first read of each path
};

}  // namespace kadvise::graph
