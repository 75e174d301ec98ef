// Rules about what host code does around a launch.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void uncheckedLaunch(Analyses&, const RulePage&, Findings&);
void launchInLoop(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
