// Which activations are alive when: how much memory a call needs at its peak, and what for.
#pragma once

#include <vector>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

// One piece of memory that the module allocates while it runs. Views share that of their base.
struct Activation {
  const torch::jit::Value* value = nullptr;  // the first that had it
  double bytes = 0;
  int born = 0, lastUse = 0;                   // places in Liveness::order
  const torch::jit::Node* lastUser = nullptr;  // null for a result of the module: it lives to the end
};

struct Liveness {
  std::vector<const torch::jit::Node*> order;  // every node, in execution order
  std::vector<Activation> activations;         // by birth
  double peakBytes = 0;  // of activations alive at once, workspaces of libraries left out
  int peakAt = -1;       // place in order, -1 without any
  std::vector<const Activation*> atPeak() const;  // the largest first
  double inputBytes = 0;                          // the caller's, not counted above
};

// Over the order of the graph; both arms of an if are counted where the trace saw them, a loop's body once.
Liveness livenessOf(torch::jit::Graph&, const TracedValues&);

}  // namespace kadvise::graph
