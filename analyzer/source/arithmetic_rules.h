// Rules about arithmetic that is slow on a GPU.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void runtimeDivision(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
