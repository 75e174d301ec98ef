// The coded rule "rows-nobody-reads": work on all rows of a sequence where the module goes on with one.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findRowsNobodyReads(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
