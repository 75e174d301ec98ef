// What a module was specialised to, written into it as checks: another call fails, and says why, instead of
// computing something else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

struct Check {
  std::string fact;       // "x: float32 of 3 dimensions"
  std::string condition;  // over v
};

// Rank and dtype of a tensor, a flag, an optional that was not given; nullopt for what cannot be checked.
std::optional<Check> checkOf(const torch::jit::Value*, const TracedValues&);

// One for every input of the graph that can be checked, at its start. Returns their facts, in the order of
// the inputs.
std::vector<std::string> checkInputs(torch::jit::Graph&, const TracedValues&);

// Raises before the node where the value is another than the run saw.
void insertCheck(torch::jit::Value*, const Check&, torch::jit::Node* before);

}  // namespace kadvise::graph
