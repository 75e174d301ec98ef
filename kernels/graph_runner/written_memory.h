// Whose memory a node of a graph writes, or looks at.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace kadvise {

enum class Memory {
  None,     // it writes nothing
  Own,      // only what the same call has made
  Inputs,   // tensors of the graph's inputs, or their list
  State,    // what an attribute or a constant holds
  Unknown,  // could be any of these
};

Memory writtenMemory(const torch::jit::Node& node);

// Whose memory a tensor lies in; never None.
Memory memoryOf(const torch::jit::Value& tensor);

}  // namespace kadvise
