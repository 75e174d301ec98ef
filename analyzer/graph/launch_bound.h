// graph-break/launch-bound: a module that is done computing before the host has launched it.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findLaunchBound(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
