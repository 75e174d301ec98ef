// Rules about what a host function computes with LibTorch.
#pragma once

#include "analyzer/source/analyses.h"
#include "analyzer/source/findings.h"

namespace kadvise::source {

void pointwiseChain(Analyses&, const RulePage&, Findings&);
void redundantCopy(Analyses&, const RulePage&, Findings&);
void maskIndexInLoop(Analyses&, const RulePage&, Findings&);
void loopOverSlices(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
