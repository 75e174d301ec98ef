// Text with edits applied.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

// Fixes whose edits lie apart, in the order given; one that overlaps an earlier one is left out. Equal edits
// count once. chosen: how many fixes were applied.
std::string withFixes(const std::string& text, const std::vector<const Fix*>&, int* chosen = nullptr);

}  // namespace kadvise
