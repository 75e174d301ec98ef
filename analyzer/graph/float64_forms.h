// Operators that torch has for small floats alone, written out for the float64 reference.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Products of experts (aten::_grouped_mm) become a product each. Without them there is no truth for a module
// that sends tokens to experts: where rounding decides which, two right answers differ as two wrong ones do.
// In place; what they do not stand for raises when it is called.
void writeOutForFloat64(torch::jit::Graph&);

}  // namespace kadvise::graph
