// The coded rule "scattered-slices": a new tensor that one kernel fills and others write slices of.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findScatteredSlices(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
