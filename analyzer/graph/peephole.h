// LibTorch's peephole pass, without the steps that lose a dtype.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Optionals that are known, sizes and devices that are known, transposes of transposes. shapes: also what the
// types of values say about shapes.
enum class PeepholeShapes { Use, Ignore };
void peephole(const std::shared_ptr<torch::jit::Graph>&, PeepholeShapes);

}  // namespace kadvise::graph
