// Rules about what the lanes of a warp do together.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void fullMaskInBranch(Analyses&, const RulePage&, Findings&);
void uniformAtomic(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
