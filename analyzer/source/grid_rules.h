// Rules about grids that no GPU takes: too many blocks, or none.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void gridTooLarge(Analyses&, const RulePage&, Findings&);
void emptyLaunch(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
