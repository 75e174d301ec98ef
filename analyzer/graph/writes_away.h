// Operators in place as operators that make a new tensor, where nobody can tell.
#pragma once

#include <memory>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// a.add_(b) becomes a + b. A write keeps the dtype of what it writes to, and a + b may promote: unless both
// are known to have one dtype, the result is cast back to that of a.
void removeWrites(const std::shared_ptr<torch::jit::Graph>&);

}  // namespace kadvise::graph
