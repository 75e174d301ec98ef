// Results in the memory of what is read: the `over` of a row program's text.
#pragma once

#include <optional>
#include <string>

#include "analyzer/graph/row_regions.h"

namespace kadvise::graph {

// Of each result the reading in whose memory it may be written: torch has just made it, in the result's
// dtype and sizes, and the region alone reads it. The operator itself looks whether nobody else holds it, and
// whether it lies as the result would.
std::vector<std::optional<std::size_t>> overwrittenReadings(const RowRegion&, const TracedValues&);

}  // namespace kadvise::graph
