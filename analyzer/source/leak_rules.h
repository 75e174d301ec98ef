// Device memory that a function allocates and nobody frees.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void leakedAllocation(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
