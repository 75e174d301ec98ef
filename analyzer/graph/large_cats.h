// Many tensors put together at once, hidden from TorchScript's fuser.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The fuser makes one kernel of such a torch.cat and its element-wise neighbours, which takes minutes to
// compile (see profiler/fuser_limits.h). It does not know hstack, which is the same along the channels.
void keepLargeCatsApart(torch::jit::Graph&);

}  // namespace kadvise::graph
