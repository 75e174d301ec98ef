// Operators that tell at a glance that a pattern has no place in a module.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

using Operators = std::unordered_set<c10::Symbol>;

Operators operatorsOf(torch::jit::Graph&);

// Of a pattern's text as it was compiled: what every reading of it has, in the order of the text. A reading
// is what takes the time, and there may be hundreds of them. Only for pages whose text has the operators of
// the normal form, as the bundled ones do (a test asks it of each): x.view() would be sought as a view.
std::vector<c10::Symbol> landmarksOf(const torch::jit::Graph& text);

// The first of them that is not among the operators of the module, which is in normal form as the readings
// are.
std::optional<c10::Symbol> landmarkLacking(const torch::jit::Graph& text, const Operators&);

}  // namespace kadvise::graph
