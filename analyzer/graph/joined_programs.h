// Finds generated kernels that read what another has just written for them alone.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findJoinedPrograms(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
