// A replacement may take its operands in another layout than the code that it stands for: keys that the
// module has transposed are transposed back. Patterns know neither step.
#pragma once

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Replaces transpose(transpose(x, a, b), a, b), of which a replacement brought the second, by x. In place.
void dropUndoneViews(const std::shared_ptr<torch::jit::Graph>&, const TracedValues&);

}  // namespace kadvise::graph
