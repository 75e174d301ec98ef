// The coded rule layout/unaligned-matmul: 16-bit products whose weights have rows or columns that are no
// multiple of 16 bytes.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

// linear(x, w, b). Where w and b are parameters and a GPU is meant, with a rewrite that pads them once and
// cuts the result, a view.
CodedResult findOddWidths(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
