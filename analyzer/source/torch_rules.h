// Rules about operators that an extension of LibTorch defines.
#pragma once

#include "analyzer/source/analyses.h"
#include "analyzer/source/findings.h"

namespace kadvise::source {

void missingDeviceGuard(Analyses&, const RulePage&, Findings&);
void uncheckedDataPointer(Analyses&, const RulePage&, Findings&);
void emptyThenAccumulate(Analyses&, const RulePage&, Findings&);
void nondeterministicAtomic(Analyses&, const RulePage&, Findings&);
void dispatchWithoutHalf(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
