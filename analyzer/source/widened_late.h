// Indices of 64 bits that are computed in 32.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void widenedLate(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
