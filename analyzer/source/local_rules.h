// Rules about what each thread has for itself in memory.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void dynamicLocalArray(Analyses&, const RulePage&, Findings&);
void copiedParameter(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
