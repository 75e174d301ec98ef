// Losses as element-wise operators.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// Operands that the loss broadcasts itself are as they were before, and its reduction is an operator of its
// own.
void lossOfElements(const Step&, torch::jit::Node* loss);

}  // namespace kadvise::graph
