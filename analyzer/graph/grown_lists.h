// Lists that grow in a row of statements, as scripted DenseNets and U-Nets keep what they have computed:
//   features = [x]; features.append(f(features)); y = torch.cat(features); z = features.pop()
// and lists whose elements a branch sets, as Swin Transformer does with its shifts:
//   shift = self.shift.copy(); if window >= height: shift[0] = 0
// Each reader gets the list as it is at its place, and the writing goes away.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// In place. Lists that a loop writes to, of another length after each branch, that leave forward, or that
// something else holds, stay.
void settleGrownLists(torch::jit::Graph&);

}  // namespace kadvise::graph
