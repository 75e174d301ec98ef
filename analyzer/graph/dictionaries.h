// Dictionaries that a script builds and reads with names it knows: the values go straight to their readers.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// A dictionary made in a block, whose every use stands in that block and stores or reads under a constant
// key, goes away. Kept dictionaries make everything in them one memory for LibTorch's alias analysis.
void lowerDictionaries(torch::jit::Graph&);

}  // namespace kadvise::graph
