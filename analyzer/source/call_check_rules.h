// Rules about what host code does with the errors that functions of the CUDA runtime return.
#pragma once

#include "analyzer/source/coded_rule.h"

namespace kadvise::source {

void uncheckedCall(Analyses&, const RulePage&, Findings&);      // in files that look at some
void callsNeverChecked(Analyses&, const RulePage&, Findings&);  // in files that look at none

}  // namespace kadvise::source
