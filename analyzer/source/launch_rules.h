// Rules about the configuration of a launch alone.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void blockTooLarge(Analyses&, const RulePage&, Findings&);
void launchBoundsViolated(Analyses&, const RulePage&, Findings&);
void partialWarp(Analyses&, const RulePage&, Findings&);
void sharedMemoryNotRequested(Analyses&, const RulePage&, Findings&);
void roundedDownGrid(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
