// The size of a warp as a number.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void warpSizeLiteral(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
