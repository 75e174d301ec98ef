// Biases of convolutions that what follows takes out again, or that can be added behind it.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findLateBiases(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
