// Rules about tiles of shared memory that a loop fills again and again.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void copyThroughRegisters(Analyses&, const RulePage&, Findings&);
void singleBufferedTile(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
