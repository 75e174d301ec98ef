// Dictionaries of the module in which forward keeps what it has once computed, to find it there in later
// calls.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// timm's caches of attention biases: `if key not in self.cache: self.cache[key] = made(of parameters)`. Where
// a dictionary is empty as loaded, and one place fills it with what parameters and constants alone decide,
// readers are given that value, made in each call: a write of the module's own state stands in the way of
// everything else.
void lowerKeptResults(torch::jit::Graph&, const torch::jit::Module&);

}  // namespace kadvise::graph
