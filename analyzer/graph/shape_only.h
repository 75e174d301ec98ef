// The coded rule "shape-only": tensors that are computed anew in each call, though only shapes decide them.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findShapeOnly(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
