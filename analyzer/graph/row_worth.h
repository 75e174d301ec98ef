// Whether one generated kernel is likely to be faster than the operators that it stands for.
#pragma once

#include <string>

#include "analyzer/graph/row_regions.h"

namespace kadvise::graph {

// "", or a word of kLeftOut (region_share.h). Fills in what the region moves and starts, before and after.
std::string whyNotWorth(RowRegion&, const TracedValues&);

}  // namespace kadvise::graph
