// Where lines of a text are after edits of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

using LineRanges = std::vector<std::pair<int, int>>;  // both ends included

// The ranges after the edits, which lie apart, and the lines that those write. INT_MAX stays the end of the
// text.
LineRanges movedLines(const LineRanges&, const std::string& text, std::vector<Edit> edits);

}  // namespace kadvise
