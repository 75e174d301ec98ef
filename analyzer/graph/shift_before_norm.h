// What is added to whole channels before a group norm, which can take it along.
#pragma once

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

CodedResult findShiftsBeforeNorms(const RulePage&, const Analysis&);

}  // namespace kadvise::graph
