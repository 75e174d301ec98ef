// Finds group and instance norms beside generated kernels, of which one generated kernel can compute all.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findNormsBetweenPrograms(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
