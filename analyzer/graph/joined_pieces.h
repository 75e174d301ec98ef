// Finds concatenations whose pieces generated kernels make, or whose result one reads: they can write to, and
// read from, the pieces' places.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findJoinedPieces(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
