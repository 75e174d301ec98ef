// One spelling for each idea: traced, scripted and rule-page graphs are brought to the same form, so that a
// pattern is written once. Nothing here depends on shapes, so the result is right for every input.
#pragma once

#include <memory>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// In place, idempotent up to node order. The graph's calls must be inlined.
void normalise(std::shared_ptr<torch::jit::Graph>&);

// The last part of it, for a graph in normal form that was simplified since.
void normaliseAgain(std::shared_ptr<torch::jit::Graph>&);

}  // namespace kadvise::graph
