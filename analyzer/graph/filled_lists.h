// Lists that a loop fills: "[scale for _ in range(dims)]" is an empty list and appends behind it.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

bool isFilledList(const torch::jit::Value*);

// The nodes but for lists that others write to: a copy of the first node alone would stay empty.
std::vector<torch::jit::Node*> withoutFilledLists(const std::vector<torch::jit::Node*>&);

// Makes such a list at once where the number of turns and what is appended are known outside of the loop:
// "[2.0] * (x.dim() - 2)" of an image, as scripts of F.interpolate have it.
void makeFilledListsAtOnce(torch::jit::Graph&);

}  // namespace kadvise::graph
