// Inputs for a module that nobody gave inputs for, guessed from how forward first uses each of its arguments.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The text form of core/input_spec.h, one for each argument up to the last that has to be given; empty where
// one of them cannot be guessed. forward in normal form.
std::vector<std::string> guessInputs(const torch::jit::Module&);

}  // namespace kadvise::graph
