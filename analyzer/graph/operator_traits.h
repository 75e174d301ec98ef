// What is known of an operator beside its schema, in one table: a line for each operator.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// A bit each, for the columns of the table.
enum class OperatorTrait : unsigned {
  View = 1U << 0,             // its result is a view of its first operand, whatever the strides are
  Pieces = 1U << 1,           // its result is a list of views that make up its first operand
  Part = 1U << 2,             // its result may be less than its first operand
  PerhapsCopy = 1U << 3,      // its result is a view or a copy, as the tensor at hand has it
  PerhapsFirst = 1U << 4,     // its schema promises a new result, and yet it may return its first operand
  KeepsStrides = 1U << 5,     // hands on the strides of an operand to somebody who may look at them
  LooksAtStrides = 1U << 6,   // other strides are another result, or an error
  ReshapesInPlace = 1U << 7,  // changes the shape of the tensor itself
  KeepsDtype = 1U << 8,       // its result has the dtype of its first operand
  WantsOneDtype = 1U << 9,    // raises an error where the first two operands differ in dtype, and keeps it
  Promotes = 1U << 10,        // of operands of one dtype it makes a result of this dtype
  MakesBool = 1U << 11,
  MakesNumber = 1U << 12,      // makes no bool of anything
  Commutes = 1U << 13,         // the first two operands may change places
  SaysRankOrDtype = 1U << 14,  // a number that rank, dtype or device of a tensor decide
  RankFromData = 1U << 15,     // rank or dtype of the result hang on sizes or on data
  NewMemory = 1U << 16,        // of ours: never hands out or writes what it is given
  InOrder = 1U << 17,          // its result lies in the order of its dimensions, whatever it is given
};

bool has(const torch::jit::Node*, OperatorTrait);

}  // namespace kadvise::graph
