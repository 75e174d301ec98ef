// A rewriting of one node of the graph, for normal_form.cpp and specialise.cpp.
#pragma once

#include <unordered_set>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {

// What a step needs to put something in a node's place. Destroyed nodes are collected, since an insert point
// may still refer to them. A node that replaces another one keeps its source range, and with it its id.
struct Step {
  torch::jit::Graph& graph;
  std::vector<torch::jit::Node*>& dead;
  Aliases& aliases;
  std::unordered_set<const torch::jit::Node*>& made;

  torch::jit::Node* insert(torch::jit::Node* at, c10::Symbol kind, at::ArrayRef<torch::jit::Value*> inputs,
                           std::size_t outputs = 1) const;
  torch::jit::Value* constant(torch::jit::Node* at, const c10::IValue&) const;
  void replace(torch::jit::Node* old, torch::jit::Value* by) const;

  // Nobody writes to the node's result or to what it may be a view of.
  bool onlyRead(torch::jit::Node*) const;

  // Somebody may change the shape of the tensor itself (t_, unsqueeze_), which a view of it does not see.
  bool isReshaped(const torch::jit::Value*) const;
};

// The operators that change the shape of a tensor in place.
bool reshapesInPlace(const torch::jit::Node*);

// Visits every node once with a step over the graph as it is; collects the dead.
void forEachStep(torch::jit::Graph&, const std::function<void(const Step&, torch::jit::Node*)>&);

}  // namespace kadvise::graph
