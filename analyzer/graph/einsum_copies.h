// The coded rule "einsum-copies": einsum equations that cannot be one product without copying an operand
// first.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findEinsumCopies(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
