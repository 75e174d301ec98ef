// Finds neighbouring operators that one generated kernel can compute in one pass over memory.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findSeparatePasses(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
