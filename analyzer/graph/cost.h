// What each node of a graph moves and computes, from the sizes that a trace saw, and what that would take on
// a GPU at best. An estimate: caches, occupancy and what libraries choose are not in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/core/hardware.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

enum class Rate { Fp32, Tf32, Fp16, Fp64 };  // which of a GPU's peaks the flops run at

struct Cost {
  double bytesRead = 0, bytesWritten = 0;
  double flops = 0;  // a multiply and an add are two
  Rate rate = Rate::Fp32;
  double kernels = 0;
  bool known = true;  // false for an operator without a formula: operands read once, results written once

  double bytes() const { return bytesRead + bytesWritten; }
};

// Views and what runs on the host cost nothing; neither does a node that the trace did not see run.
Cost costOf(const torch::jit::Node*, const TracedValues&);

// max(bytes / bandwidth, flops / peak), and a launch for each kernel.
double secondsOf(const Cost&, const Gpu&);

struct NodeCost {
  const torch::jit::Node* node = nullptr;
  Cost cost;  // of all its runs in one call
  double seconds = 0;
};

struct GraphCost {
  std::vector<NodeCost> nodes;  // those that cost anything, in execution order
  Cost total;                   // rate and known mean nothing here
  double seconds = 0;
  std::map<std::string, int> unknown;  // operators without a formula -> how many nodes
  int loopsOfUnknownLength = 0;        // counted as one turn
};

GraphCost costOf(torch::jit::Graph&, const TracedValues&, const Gpu&);

}  // namespace kadvise::graph
