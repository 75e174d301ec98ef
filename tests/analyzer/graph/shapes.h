// A forward with the shapes that its values have, without running it.
#pragma once

#include "analyzer/graph/shadow_run.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph::test {

inline at::Tensor onMeta(const at::Tensor& t) {
  return at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kMeta));
}

// The attributes that the graph reads: tensors without data, others as they are.
inline Known attributesKnown(const torch::jit::Module& m, torch::jit::Graph& graph) {
  Known known;
  forEachNode(graph.block(), [&](torch::jit::Node* n) {
    if (n->kind() != torch::jit::prim::GetAttr) return;
    auto value = m.attr(n->s(torch::jit::attr::name));
    known[n->output()] = value.isTensor() ? c10::IValue(onMeta(value.toTensor())) : value;
  });
  return known;
}

// inputs: meta tensors or numbers, one for each argument after self.
struct Shaped {
  torch::jit::Module module;
  std::shared_ptr<torch::jit::Graph> graph;
  TracedValues traced;

  Shaped(const std::string& forward, const std::vector<c10::IValue>& inputs,
         const std::vector<std::pair<std::string, at::Tensor>>& buffers = {},
         const std::vector<Attribute>& attributes = {})
      : module(moduleOf(forward, buffers, attributes)), graph(graphOf(module)) {
    Known known = attributesKnown(module, *graph);
    for (std::size_t i = 0; i < inputs.size(); ++i) known[graph->inputs()[i + 1]] = inputs[i];
    traced = shadowRun(*graph, std::move(known));
  }

  torch::jit::Node* node(const char* kind) const {
    torch::jit::Node* found = nullptr;
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      if (n->kind().toQualString() == std::string(kind)) found = n;
    });
    return found;
  }
};

inline at::Tensor meta(at::IntArrayRef shape, at::ScalarType dtype = at::kFloat) {
  return at::empty(shape, at::TensorOptions().dtype(dtype).device(at::kMeta));
}

}  // namespace kadvise::graph::test
