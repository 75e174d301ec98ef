// The steps of the normal form that look at one node: one spelling for each operator.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

void rewriteLocally(torch::jit::Graph&);

}  // namespace kadvise::graph
