// The coded rule "graph-break": reports nodes by the data in its page's header (core/node_query.h). A page
// may add a `python when` function of the operator's arguments by their names, and of out, device and arch,
// which is run on tensors without data.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findGraphBreaks(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
