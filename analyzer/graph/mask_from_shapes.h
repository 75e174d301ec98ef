// The coded rule "mask-from-shapes": attention under a mask that only shapes decide, and that says what an
// argument says.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findMasksFromShapes(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
