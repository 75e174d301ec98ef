// The coded rule "selective-scan": a state-space recurrence that a trace has unrolled is one kernel.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findSelectiveScans(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
