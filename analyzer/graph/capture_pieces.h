// Cuts forward into the parts that a CUDA graph takes. A part is handed tensors and hands out tensors;
// numbers that it needs are computed again inside from the tensors, and containers and views outside.
#pragma once

#include <vector>

#include "analyzer/graph/capturable.h"

namespace kadvise::graph {

// All nodes are at the top of forward; between those of the body stand only nodes that may as well run before
// it.
struct CapturePiece {
  std::vector<torch::jit::Node*> body;      // in execution order, without constants and attributes
  std::vector<torch::jit::Node*> sizes;     // in front of it, run inside as well: numbers from tensors
  std::vector<torch::jit::Node*> again;     // of the body, run behind it as well: views, containers, numbers
  std::vector<torch::jit::Value*> inputs;   // tensors from outside
  std::vector<torch::jit::Value*> outputs;  // tensors, each memory of its own
  std::size_t launches = 0;
};

struct CapturePlan {
  std::vector<CapturePiece> pieces;
  std::vector<Blocker> blockers;  // those that were given, and what stood in the way of cutting
  std::size_t launches = 0;       // of forward, without those that are left out because they are few
  bool isWhole() const { return pieces.size() == 1 && pieces[0].launches == launches; }
};

// Fewer launches than this, beside a part that cannot be captured, gain nothing by a graph of their own, but
// for those of an operator that launches kernels for each step of a sequence. forward as a whole may have
// fewer: whether that pays is measured.
inline constexpr std::size_t kFewestLaunches = 8;

CapturePlan planCapture(const Analysis&, const std::vector<Blocker>&,
                        std::size_t fewestLaunches = kFewestLaunches);

// The values from outside that a node and its branches and loops read.
std::vector<torch::jit::Value*> readBy(torch::jit::Node*);

// The node at the top of forward that this one is, or stands in; the return node for a value that forward
// returns.
torch::jit::Node* topOf(torch::jit::Node*);

}  // namespace kadvise::graph
