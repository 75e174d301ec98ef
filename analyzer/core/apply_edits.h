// Text with edits applied.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

// The edits of fixes that lie apart, the last in the text first. Fixes are taken in the order given; one that
// overlaps an earlier one is left out. Equal edits count once. chosen: how many fixes were taken.
std::vector<Edit> editsOf(const std::string& text, const std::vector<const Fix*>&, int* chosen = nullptr);
// The text with them.
std::string withFixes(const std::string& text, const std::vector<const Fix*>&, int* chosen = nullptr);

}  // namespace kadvise
