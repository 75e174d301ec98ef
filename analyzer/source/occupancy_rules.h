// Rules about how many blocks of a kernel fit on a multiprocessor.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void sharedMemoryLimitsOccupancy(Analyses&, const RulePage&, Findings&);
void missingLaunchBounds(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
