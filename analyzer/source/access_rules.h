// Rules about how the lanes of a warp share memory.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void uncoalescedAccess(Analyses&, const RulePage&, Findings&);
void arrayOfStructures(Analyses&, const RulePage&, Findings&);
void divergentConstant(Analyses&, const RulePage&, Findings&);
void bankConflict(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
