// Operators in place as operators that make a new tensor, where nobody can tell.
#pragma once

#include <memory>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// a.add_(b) becomes a + b. A write keeps the dtype of what it writes to, and a + b may promote: unless both
// are known to have one dtype, the result is cast back to that of a.
void removeWrites(const std::shared_ptr<torch::jit::Graph>&);

// A sum that was such a write: a tensor that is written to keeps its sizes, and to add a larger one is an
// error. nullptr for other nodes, else the operand that was written to.
const torch::jit::Value* writtenToOf(const torch::jit::Node* sum);

// Makes sums of them that are like any other.
void forgetWrites(torch::jit::Graph&);

}  // namespace kadvise::graph
