// Rules about what a thread keeps.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void deviceHeap(Analyses&, const RulePage&, Findings&);
void largeLocalArray(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
