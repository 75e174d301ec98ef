// Group norms of rows, which have no pixels: fusion/group-norm-of-rows.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findGroupedRows(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
