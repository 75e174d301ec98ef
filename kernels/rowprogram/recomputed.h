// Values that a later pass computes again rather than keep: a few instructions are cheaper than registers.
#pragma once

#include "kernels/rowprogram/plan.h"

namespace kadvise::rowprogram {

// For each statement, whether it is worth computing again where a later stage reads it. Its one operand that
// varies along the row is then read in that stage, too.
std::vector<char> worthRecomputing(const Plan&);

}  // namespace kadvise::rowprogram
