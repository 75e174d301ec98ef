// index_select by all numbers below another.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// index_select(x, d, arange(n))  ->  a copy of narrow(x, d, 0, n), which a generated kernel may take along
// (XLNet's shifted positions).
void firstOfAll(const Step&, torch::jit::Node*);

}  // namespace kadvise::graph
