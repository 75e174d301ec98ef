// Rules about memory of the host.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void pageableCopy(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
