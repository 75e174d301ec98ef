// Copies of a view onto itself, which `x[:, 0] += y` ends in.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Python assigns what it added in place: x[:, 0].add_(y) is copied into another x[:, 0]. That copy changes
// nothing.
void dropSelfCopies(torch::jit::Graph&);

}  // namespace kadvise::graph
