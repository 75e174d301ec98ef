// Whose memory a value is, as far as a part of forward that is captured has to know: what it hands out is
// copied, so that views of one memory have to be made anew outside.
#pragma once

#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The value that this one is or may be a view of, pieces of a split included; nullptr where there is none.
torch::jit::Value* viewedValue(torch::jit::Value*);

// The end of that chain; the value itself when it is a view of nothing.
torch::jit::Value* memoryOf(torch::jit::Value*);

// The nodes from the memory to the value, in execution order; empty for the memory itself.
std::vector<torch::jit::Node*> viewsTo(torch::jit::Value*);

// An operator that is described well enough to say that this result is memory of its own.
bool isOwnMemory(const torch::jit::Value*);

// May be a copy, where strides, a dtype or a flag ask for one: what is written in between is seen, or not.
bool mayCopy(const torch::jit::Node*);

// The values that a node writes to in place, tensors and containers.
std::vector<torch::jit::Value*> writtenValues(const torch::jit::Node*);

}  // namespace kadvise::graph
