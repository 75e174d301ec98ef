// Copies that change the order in memory, as statements of a row program: a reshape that is no view,
// contiguous of something that is not. ATen moves an element a thread there and divides for the place of
// each.
#pragma once

#include "analyzer/graph/row_regions.h"

namespace kadvise::graph {

// A reshape or flatten that copied in the run: its operand, to be stored in the order of its dimensions, of
// which the reshape is then a view. nullopt for any other node.
std::optional<RowOperator> reshapeCopyOf(const torch::jit::Node*, const TracedValues&);

// Whether the node only copies, and did so in the run.
bool isRowCopy(const RowNode&, const TracedValues&);

inline constexpr double kSmallestCopy = 128 << 10;  // bytes: below, the launch is what takes the time

// nullptr for what is no tensor, or of which no strides were seen.
const TracedValue* tensorSeen(const torch::jit::Value*, const TracedValues&);

// Matrices that lie one after the other, so that a view makes one batch of them.
bool areOneBatch(const TracedValue&);

// A copy that is worth a kernel of its own: not a small one (tests/bench/results/copies.h200.txt).
bool isWorthACopy(const RowNode&, const TracedValues&);

// Whether the node says how its result lies: a reshape, or a contiguous() that found another order in the
// run.
bool saysOrder(const RowNode&, const TracedValues&);

// Whether the copy that last said how the value lies meant another order than that of the space, in which the
// program writes.
bool losesItsOrder(const RowRegion&, const torch::jit::Value*, const TracedValues&);

// Whether the program must be told to store the value contiguous: contiguous() or a reshape makes it so, it
// was so in the run and would not be as the inputs lie, or products alone read it, which would copy it first.
bool isToldContiguous(const RowRegion&, const torch::jit::Value*, const TracedValues&);

}  // namespace kadvise::graph
