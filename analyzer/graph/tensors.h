// Sizes of the tensors behind values, and where one value is the memory of another.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

// What is known of a tensor: from the trace, or from the graph where the value is a constant. nullopt for
// what is no tensor, was not seen, or varied.
std::optional<TracedValue> tensorOf(const torch::jit::Value*, const TracedValues&);

// The tensors that a node reads or makes, those of list and tuple operands included, each value once.
std::vector<const torch::jit::Value*> tensorsIn(at::ArrayRef<const torch::jit::Value*>);
std::vector<const torch::jit::Value*> tensorInputs(const torch::jit::Node*);

double elements(const TracedValue&);
double elementBytes(const TracedValue&);
// What reading it all moves: a dimension of stride 0 (expand) is in memory once.
double bytesOf(const TracedValue&);
// What a tensor of its own of this shape takes.
double denseBytes(const TracedValue&);

bool hasStrides(const TracedValue&);
bool isContiguous(const TracedValue&);
// Elements that lie in memory once are seen several times.
bool isExpanded(const TracedValue&);

// What a node's first output is to its first input.
enum class Overlap {
  Own,      // memory of its own
  Shared,   // the same memory: a view, or the input itself
  Unknown,  // shapes that would decide it were not seen
};
Overlap overlapOf(const torch::jit::Node*, const TracedValues&);

// For reshape, contiguous, to and their like: a copy was made, and the trace shows it.
bool isCopy(const torch::jit::Node*, const TracedValues&);

// Whether a tensor of these sizes and strides can be seen in another shape without a copy.
bool canView(const TracedValue&, const std::vector<std::int64_t>& shape);

// The value whose memory this one is, through views.
const torch::jit::Value* baseOf(const torch::jit::Value*, const TracedValues&);

}  // namespace kadvise::graph
