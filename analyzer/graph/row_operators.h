// Operators that make each row of their result, along one dimension, of the same rows of their operands.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

// What one row along a dimension of the result takes of an operand: its row along `dim`; where there is none,
// all of it, which has no such dimension.
struct RowNeed {
  std::size_t operand;
  std::optional<std::size_t> dim;
};

// For the tensors among the operands, in their order; nullopt for an operator that mixes rows, is not known,
// or whose shapes are not. reshape and view are for the caller: their list of sizes speaks of rows, too.
std::optional<std::vector<RowNeed>> rowNeeds(const torch::jit::Node*, std::size_t dim, const TracedValues&);

}  // namespace kadvise::graph
