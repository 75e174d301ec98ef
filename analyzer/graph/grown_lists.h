// Lists that grow in a row of statements, as scripted DenseNets and U-Nets keep what they have computed:
//   features = [x]; features.append(f(features)); y = torch.cat(features); z = features.pop()
// Each reader gets the list as it is at its place, and the appending goes away.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// In place. Lists that a branch or a loop writes to, that leave forward, or that something else holds, stay.
void settleGrownLists(torch::jit::Graph&);

}  // namespace kadvise::graph
