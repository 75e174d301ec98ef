// Shared arrays that are shorter than the block that walks over them.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void sharedArrayTooShort(Analyses&, const RulePage&, Findings&);

}  // namespace kadvise::source
