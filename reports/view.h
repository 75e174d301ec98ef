// What the page shows beside the figures of the JSON: order, words and what belongs together, computed where
// the text report computes them, so that no other language judges a verdict again.
#pragma once

#include <string>
#include <vector>

#include "reports/grouping.h"

namespace kadvise {

// "advised", "not-measured", "no-clear-gain", "not-used", "disproved", "part-of-another"
const char* word(Standing);

// The command of this run for one rule alone, without the files that it writes; "" when it cannot be known.
std::string commandFor(const Report&, const std::string& rule);

// The same in words, of the command of a run; the first one is the program.
std::vector<std::string> commandWordsFor(const std::vector<std::string>& command, const std::string& rule);

Json viewOf(const Report&);

}  // namespace kadvise
