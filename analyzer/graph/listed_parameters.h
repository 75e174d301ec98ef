// Lists in which a module keeps its own parameters once more, as nn.LSTM and nn.GRU do for the operator that
// takes them all.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Has forward put such a list together of the parameters under their names. Freezing, which keeps parameters,
// would make constants of those in the list: they would not follow .to() any more, and be gone from
// state_dict(). Lists that something writes to stay.
void readListedParameters(torch::jit::Graph& forward, const torch::jit::Module&);

}  // namespace kadvise::graph
