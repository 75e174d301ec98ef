// Tensors that are computed only for somebody to ask their sizes: the sizes are asked of what they are made
// of.
#pragma once

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// A replacement checks the sizes of its operands, and another one may make the operands themselves needless:
// a mask, keys that were repeated. Without this they would be computed for the check alone. In place.
void askMakersForSizes(const std::shared_ptr<torch::jit::Graph>&, const TracedValues&);

}  // namespace kadvise::graph
