// Where a node comes from: the module path it ran under and the user's own source line.
#pragma once

#include "analyzer/core/types.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Inlines every call of forward and stores the exact module path ("encoder.layers.3") as the scope of each
// node. LibTorch's own inlined call stack knows only the last attribute name, and freezing renames the types.
void inlineWithScopes(torch::jit::Module&);

// The first frame from the node outwards that is not LibTorch's own Python; file shortened to its last three
// parts.
Location userLocation(const torch::jit::Node*);

}  // namespace kadvise::graph
