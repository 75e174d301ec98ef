// An optional that a loop carries along without ever setting it.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Detection models carry `targets`, None outside of training, through the loop over their images. Where None
// at the start of a round means None at its end, it is None throughout, and the branches that ask for it can
// be folded. True where something changed.
bool settleCarriedNone(torch::jit::Graph&);

}  // namespace kadvise::graph
