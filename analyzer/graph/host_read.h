// The coded rule graph-break/host-read: places where the host waits for a value that a tensor holds.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

// Size arithmetic of traces (size, NumToTensor, floor_divide, Int) runs on the host anyway and is not one.
CodedResult findHostReads(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
