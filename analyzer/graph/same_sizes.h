// Which dimensions of which tensors have one size in every call.
#pragma once

#include <cstddef>
#include <utility>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

using Dimension = std::pair<const torch::jit::Value*, std::size_t>;

// Follows a dimension back to where its size comes from, through operators that hand it on.
Dimension sourceOf(Dimension, const TracedValues&);

// The dimension whose size the number is; {nullptr, 0} for other numbers.
Dimension measuredBy(const torch::jit::Value* number, const TracedValues&);

}  // namespace kadvise::graph
