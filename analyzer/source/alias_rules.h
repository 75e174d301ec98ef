// Rules about pointers of which the compiler does not know that they are apart.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void invariantAccess(Analyses&, const RulePage&, Findings&);
void unrestrictedPointer(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
