// Tensors of no dimensions where a number says the same.
#pragma once

#include <functional>

#include "analyzer/graph/step.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// What is known of a tensor for every call; nullptr for nothing.
using KnownTensor = std::function<const TracedValue*(const torch::jit::Value*)>;

// In x * 2.5 and x * torch.tensor(2.5) the two differ in what they promote: the number never more than the
// category of x, the tensor everything that has no dimensions or is of a lower category. True where an
// operand was replaced, which is where x is known to make them the same.
bool takeNumber(const Step&, torch::jit::Node*, const KnownTensor&);

// Numbers that a trace has as constant tensors: in a second operand the executor makes numbers of them again,
// before it folds anything. Folded with a tensor of whole numbers, one would give float64.
void takeConstantNumbers(torch::jit::Graph&);

}  // namespace kadvise::graph
