// Rules about accesses that could be wider.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void vectorizableAccess(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
