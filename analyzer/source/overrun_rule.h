// Shared arrays that are shorter than the block that walks over them, or of which a launch gives nothing.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void sharedArrayTooShort(Analyses&, const RulePage&, Findings&);
void sharedMemoryNotGiven(Analyses&, const RulePage&, Findings&);  // a part of shared-memory-not-requested

}  // namespace kadvise::source
