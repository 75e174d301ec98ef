// Where tensors live when the module runs on a GPU: judged as if the module and its inputs were on one,
// whatever machine this is; what a run on a GPU has shown goes before.
#pragma once

#include <unordered_map>

#include "analyzer/graph/condition.h"
#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

enum class Place {
  Unknown,
  Traced,  // the host, only because a trace on a CPU wrote device=x.device down as the constant "cpu"
  Host,
  Gpu
};

class Placement {
 public:
  Placement(torch::jit::Graph&, const TracedValues&, const Target&);
  Place of(const torch::jit::Value*) const;

  // The first node that takes the result, or what is computed of it on the host, together with tensors on the
  // GPU or to the GPU. nullptr where it stays on the host.
  torch::jit::Node* meetsGpu(const torch::jit::Node*) const;

 private:
  Place byDeviceArgument(torch::jit::Node*, torch::jit::Value* device) const;
  Place byInputs(const torch::jit::Node*) const;
  Place resultOf(torch::jit::Node*) const;
  void visit(torch::jit::Block*);

  const TracedValues& traced_;
  bool ranOnGpu_;
  std::unordered_map<const torch::jit::Value*, Place> places_;
};

// The node's value for an argument of its operator's schema; nullptr when it has none of that name.
torch::jit::Value* argumentNamed(const torch::jit::Node*, const std::string& name);

// A device written into the graph, as traces do: "cpu", "cuda:0"; "" for none, or one that is computed.
std::string constantDevice(const torch::jit::Node*);

// The first GPU that is written into the graph or its blocks, or "".
std::string namedGpu(torch::jit::Graph&);

// Makes a tensor from numbers alone: arange, zeros, tensor.
bool isFactory(const torch::jit::Node*);

}  // namespace kadvise::graph
