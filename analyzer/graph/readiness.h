// Cuts forward into the pieces that a CUDA graph, a fusing compiler or torch.export can take whole.
#pragma once

#include <functional>
#include <optional>

#include "analyzer/core/readiness.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// A place that a rule reported, and what ends there.
struct Break {
  const torch::jit::Node* node = nullptr;
  std::string rule, finding;
  std::vector<std::string> ends;  // words of kBreaks
};

// True where a piece can end at such a place: anything but mere cost.
bool endsPieces(const std::vector<std::string>& breaks);

// How many places end the capture of a CUDA graph.
std::size_t captureCutsIn(const std::vector<Break>&);

// What a node weighs in the shares, from a profile or an estimate; nullopt where nothing is known of it.
struct Weights {
  std::string basis;
  std::function<std::optional<double>(const torch::jit::Node*)> of;
};

// Bytes that a node reads and writes by its traced shapes; the number of operators where nothing was traced.
Weights weightsFrom(const TracedValues&);

// Order is that of the program: nothing is moved to join pieces. A branch or loop that the host decides by
// shapes or constants is part of a piece (a CUDA graph is captured for each such case) unless something
// inside it ends one.
Readiness readinessOf(torch::jit::Graph&, const std::vector<NodeInfo>& nodes, const std::vector<Break>&,
                      const Weights&);

}  // namespace kadvise::graph
