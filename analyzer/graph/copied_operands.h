// Heads that a batched product copies before it multiplies them: memory/copied-operands.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findCopiedOperands(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
