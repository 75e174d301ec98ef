// What the cases of inputs showed of the outputs, in one sentence.
#pragma once

#include <string>

#include "reports/report.h"

namespace kadvise {

// "nearest to its bound with inputs “large”: max error 1.6 ulp of 3.9 allowed (41 %); every bit equal in 12
// of 34 cases"; "" where the report does not have them. Of a candidate, or of "whole".
std::string caseWords(const Report&, const std::string& candidate);

}  // namespace kadvise
