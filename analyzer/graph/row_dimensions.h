// Where the dimensions of a node's operands are among those that a row program has for it. All of them throw
// Error, for rowOperatorOf.
#pragma once

#include <vector>

#include "analyzer/graph/row_statements.h"

namespace kadvise::graph {

// why: a word of kLeftOut (region_share.h).
[[noreturn]] void rowLeftOut(const char* why);

std::vector<int> rowDimensionsUpTo(int n);  // 0, 1, …, n - 1

int rowRankOf(const torch::jit::Value*, const TracedValues&);

// A constant argument as one of `rank` dimensions.
int rowDimensionOf(const torch::jit::Node*, const char* name, int rank);

// `dim` of a reduction: a number, a list, or nothing for all. Of a pool the pixels. Ascending.
std::vector<int> rowDimensionsOf(const torch::jit::Node*, int rank);

// Broadcast from the right.
RowOperator::Operand rowOperandFromTheRight(const torch::jit::Value*, int rank, const TracedValues&);

}  // namespace kadvise::graph
