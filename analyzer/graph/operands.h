// What the matcher asks of single operators: which operands may change places, which are dimensions, which
// operators hand on their input's value.
#pragma once

#include <cstdint>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// a + b is b + a, where no factor stands before b.
bool swappable(const torch::jit::Node*);

// transpose(x, 1, 2) is transpose(x, 2, 1).
bool swappableDims(const torch::jit::Node*);

// The operand is a dimension of the first one.
bool isDimension(const torch::jit::Node*, std::size_t operand);

// Two constants that mean the same dimension of a tensor of this rank.
bool sameDimension(const c10::IValue&, const c10::IValue&, std::int64_t rank);

// Hands on the value of its input; only strides or storage differ. A replacement chooses those anew, and
// whyUnsafe() looks for anybody who would notice.
bool isTransparent(const torch::jit::Node*);
torch::jit::Value* seeThrough(torch::jit::Value*);

}  // namespace kadvise::graph
