// What a reader has to know of a module as it was loaded, before it is frozen: freezing takes it out of
// sight.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

using Notes = std::vector<std::string>;

void noteLostMethods(const torch::jit::Module& loaded, Notes&);
// Calls of detach(), which only gradients show.
void noteLostDetach(torch::jit::Graph&, Notes&);
// Tensors of numbers alone that are made on the CPU wherever the module runs.
void noteFoldedOnCpu(torch::jit::Graph&, Notes&);

}  // namespace kadvise::graph
