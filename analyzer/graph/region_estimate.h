// What a replacement should gain in its region, from shapes alone.
#pragma once

#include <optional>

#include "analyzer/core/hardware.h"
#include "analyzer/graph/region.h"

namespace kadvise::graph {

// inputs: the values of the module that the region reads, as in pair.inputs. nullopt where an operator of
// either side has no formula, or a shape is not known: then nothing is said.
std::optional<Estimate> estimateOf(const RegionPair&, const TracedValues&, const Gpu&);

// "roofline estimate for H100"
std::string basisFor(const Gpu&);

}  // namespace kadvise::graph
