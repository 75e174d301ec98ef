// Objects that a script makes, fills and reads itself: the values go straight to their readers.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// An object made by forward, whose every use sets or reads an attribute, goes away (torchvision's ImageList).
// What passes through an attribute is lost to LibTorch's alias analysis and to the trace.
void lowerLocalObjects(torch::jit::Graph&);

}  // namespace kadvise::graph
