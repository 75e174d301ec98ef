// Operators whose result has as many rows as the numbers in a tensor say, and those that hand the rows on.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The operand whose numbers decide the first size of the results: nonzero(x), x[mask], unique(x); nullptr
// where none does. The inverse that unique gives has the size of its operand (hasChosenRows).
const torch::jit::Value* rowChooserOf(const torch::jit::Node*);

// The operands whose first size the result has, or, where it is a number, whose first size it is. Only what
// is certain: pointwise operators, lookups, products with weights and the like.
std::vector<const torch::jit::Value*> rowKeepersOf(const torch::jit::Node*);

// Whether that result has those rows: of several sizes the first alone, of unique's results not the inverse.
bool hasChosenRows(const torch::jit::Node*, std::size_t output);

}  // namespace kadvise::graph
