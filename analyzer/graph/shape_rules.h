// Shapes of operators that LibTorch computes on tensors without data only with Python's help.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The result as a tensor without data; nullopt where there is no rule, or the operands do not fit it.
std::optional<at::Tensor> shapeByRule(const torch::jit::Node*, const std::vector<c10::IValue>& operands);

}  // namespace kadvise::graph
