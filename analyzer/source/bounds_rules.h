// Rules that join how large a grid is with what the kernel does with its index.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void unguardedIndex(Analyses&, const RulePage&, Findings&);
void fixedGrid(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
