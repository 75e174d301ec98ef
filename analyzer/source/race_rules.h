// Rules about shared memory that threads touch with no barrier between.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void missingBarrier(Analyses&, const RulePage&, Findings&);
void missingBarrierInLoop(Analyses&, const RulePage&, Findings&);
void sameElementWritten(Analyses&, const RulePage&, Findings&);
void redundantBarrier(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
