// Operators that return a view where strides allow it and a copy elsewhere: whether the module can tell.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The node may return a view or a copy, and which of them hangs on the strides of its first operand.
bool copiesByStrides(const torch::jit::Node*);

// What is written to the result of such a node and read from its operand, or the other way round, in whatever
// views of them; or both leave forward. A write into memory that nobody reads any more shows nothing.
bool showsWhetherItCopied(const torch::jit::Node*);

// Follows a tensor to the values that the user makes of it and that may hold its memory: views, containers,
// what blocks take in and hand out. The tensor's own uses inside of blocks are uses like any other.
std::vector<const torch::jit::Value*> heldBy(const torch::jit::Use&, const torch::jit::Value* tensor);

// What a block takes in or hands out through this use: the names that the value has on the other side.
std::vector<const torch::jit::Value*> acrossBlocks(const torch::jit::Use&);

}  // namespace kadvise::graph
