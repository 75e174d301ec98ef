// Rules about barriers that not all threads of a block reach.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void barrierDivergent(Analyses&, const RulePage&, Findings&);
void returnBeforeBarrier(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
