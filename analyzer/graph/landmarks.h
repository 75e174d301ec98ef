// Operators that tell at a glance that a pattern has no place in a module.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

using Operators = std::unordered_set<c10::Symbol>;

Operators operatorsOf(torch::jit::Graph&);

// Of a pattern's text as it was compiled: the landmarks that every reading of it has. A reading is what takes
// the time, and there may be hundreds of them.
std::vector<c10::Symbol> landmarksOf(torch::jit::Graph& text);

// One of them that is not among the operators of the module, in normal form as the readings are.
std::optional<c10::Symbol> landmarkLacking(torch::jit::Graph& text, const Operators&);

}  // namespace kadvise::graph
