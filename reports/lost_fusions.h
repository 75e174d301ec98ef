// Replacements that one run made and another no longer does.
#pragma once

#include <set>
#include <string>

#include "reports/report.h"

namespace kadvise {

// By rule and replacement, with the time that those places had gained.
std::vector<RunChange> lostFusions(const Report& old, const Report& fresh);

// The findings of the older run that those places had.
std::set<std::string> findingsOfLostFusions(const Report& old, const Report& fresh);

// A lost fusion, as it reads where the runs change places.
RunChange turnedRound(RunChange);

}  // namespace kadvise
