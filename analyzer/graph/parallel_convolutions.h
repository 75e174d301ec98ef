// Sums of convolutions of one input, of that input and of batch norms of it, as one convolution.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findParallelConvolutions(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
