// Writes in place: which value a node writes, and what memory that is.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The value that the node changes in place (a tensor, or a list that it appends to); nullptr for a pure node.
torch::jit::Value* writtenBy(const torch::jit::Node*);

// A norm in training writes its running mean and variance, these operands, which its schema does not say.
inline constexpr std::size_t kStatistics[] = {3, 4};
bool updatesStatistics(const torch::jit::Node*);

// (a) on a result and on an argument of the schema: the argument whose memory the result is or may be;
// nullptr where the schema names none.
torch::jit::Value* viewedBySchema(const torch::jit::Value*);

// The tensor that this one is a view of: y for y[0], y.view(…), y.chunk(2)[1]; nullptr where it owns its
// memory, may be a copy, or nothing is known. A loop's carried value is a view of what goes into the loop.
torch::jit::Value* viewedBy(const torch::jit::Value*);

// The end of that chain; the value itself when it is a view of nothing.
torch::jit::Value* rootOf(torch::jit::Value*);

enum class Owner {
  Input,  // the caller's tensor
  State,  // a parameter or buffer of the module
  Local,  // made by forward itself
  Unknown
};
Owner ownerOf(torch::jit::Value*);

// True where the written value is a part of a larger one: select, slice, narrow, index by list.
bool isPart(const torch::jit::Value*);

// The outermost loop around the node, or the node: what is in one loop is before and after the rest of it.
const torch::jit::Node* outermostLoop(const torch::jit::Node*);

// True where the same memory is read after the node as another value than the written one or the node's
// result.
bool isReadElsewhereAfter(torch::jit::Node*, const torch::jit::AliasDb&);

}  // namespace kadvise::graph
