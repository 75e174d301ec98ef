// The coded rule "loop-over-sequence": what is done to each step of a sequence alone, and could be done to
// all at once.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findLoopsOverSequences(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
