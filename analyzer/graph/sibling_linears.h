// The coded rule fusion/sibling-linears: products of one input with several weights.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

// linear(x, w, b), addmm(b, x, w) and matmul(x, w) whose weights are parameters. A group reads one x in one
// block, with weights of one dtype, and all with a bias or all without.
CodedResult findSiblingLinears(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
