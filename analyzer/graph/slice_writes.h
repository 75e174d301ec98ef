// Writes to parts of a tensor that a node has just made.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// One write: slice and select of the tensor, each of the one before, and what fills the last of them. Nobody
// else looks at these views, nor at what the write returns.
struct SliceWrite {
  std::vector<torch::jit::Node*> views;
  torch::jit::Node* write = nullptr;  // copy_, fill_, zero_, or arithmetic with what is there
};

struct SliceWrites {
  std::vector<SliceWrite> parts;            // in order, in the block of the maker
  torch::jit::Node* firstReader = nullptr;  // of that block, who sees the tensor or writes it otherwise
};

// Of the tensor that the node makes: an output of forward counts as read at the end.
SliceWrites sliceWritesOf(torch::jit::Node* maker);

// zeros, full_like and the like: what they make has no content but one number, or none.
bool makesFilled(const torch::jit::Node*);

// add_, sub_ and mul_, whose result depends on what is there.
bool isArithmeticInPlace(const torch::jit::Node*);

// Asked by a write for what it writes: x[0] = 1 asks x[0] for its dtype and device.
bool onlyDescribes(const torch::jit::Node*);

}  // namespace kadvise::graph
