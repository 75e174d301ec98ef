// What each ATen operator does to memory, as far as its cost goes: one table.
#pragma once

#include <optional>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

enum class OperatorKind {
  Free,        // no tensor is read or written: sizes, constants, containers
  View,        // a new shape on the same memory
  Reshape,     // a view where strides allow it, else a copy
  Conversion,  // the input itself where nothing is to be done, else a copy: contiguous, to
  Copy,        // always a copy: clone, copy_
  Pointwise,   // one result element from one element of each operand
  Reduction,   // reads all, writes less
  Norm,        // softmax and norms: rows are read and written whole
  MatMul,
  Convolution,
  Attention,
  Recurrent,  // whole LSTM and GRU layers
  Gather,     // reads no more of its table than it writes
  Scatter,    // writes no more of its target than it is given, beside the copy of an out-of-place form
  Join,       // cat, stack
  Window,     // pooling, padding, interpolation: input read once, output written once
  Factory,    // writes without reading
  Unwritten,  // allocates only: empty
  Random,
  Custom,  // operators of kadvise: inputs read once, outputs written once
  Unknown,
};

struct OperatorCost {
  OperatorKind kind = OperatorKind::Unknown;
  double flopsPerElement = 0;  // of the larger of input and output
};

// By name; a trailing underscore (in place) does not matter.
OperatorCost kindOf(const torch::jit::Node*);

// Pointwise in its values alone: operators that know of dimensions, or take no operand's values, are not.
bool isPointwise(const torch::jit::Node*);

// Whether the node makes numbers, lists or flags of what is written about its tensors: sizes, dtypes,
// devices, and not of what is in them.
bool asksAboutTensors(const torch::jit::Node*);

// The only use that reads elements of the tensor; others may ask for sizes. nullopt where there is none, or
// several.
std::optional<torch::jit::Use> onlyReading(const torch::jit::Value*);
// Its node, where the tensor is the first operand or one of a sum; nullptr otherwise.
torch::jit::Node* onlyReader(const torch::jit::Value*);

// Gives what it reads, in memory of its own or as it is.
bool isPlainCopy(const torch::jit::Node*);

// kadvise::contiguous: one that is a kernel already, and that others may still take along.
bool isGeneratedCopy(const torch::jit::Node*);

}  // namespace kadvise::graph
