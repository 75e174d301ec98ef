// Branches that ask the same of the sizes are one branch, with what stands between them in both arms:
//   if shifted: x = roll(x)          if shifted: y = rolled back(f(roll(x)))
//   y = f(x)                   ->    else:       y = f(x)
//   if shifted: y = rolled back(y)
// Each arm is then one piece, in which patterns are found and regions grow (Swin Transformer's windows).
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// In place; the same work in the same order for every input. Conditions on data stay apart: they end a piece
// that can be captured, and what stands between two of them shall not be a part of either. True where
// something changed.
bool joinBranches(torch::jit::Graph&);

}  // namespace kadvise::graph
