// How a proposal ended, in words.
#pragma once

#include <string>

#include "reports/ranking.h"

namespace kadvise {

// "saves 620 µs a call, 3.56x (3.53–3.58, 95%) in its region; outputs equal (bitwise)"
std::string measuredWords(const Report&, const Advice&);

// Of a proposal that is not advised; its reason may name other candidates by their ids.
std::string whyNotUsed(const Report&, const Advice&);

// "" where nothing is known but that it was not measured.
std::string whyNotMeasured(const Report&, const Advice&);

// Why an interval settles nothing.
std::string doubtWords(const Verdict&);

}  // namespace kadvise
