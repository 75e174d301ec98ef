// Statements that joined branches have in both arms, in the arm that the run did not take.
#pragma once

#include <vector>

#include "analyzer/graph/subject.h"
#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Whether the run took the other arm, and the same statements stand there: those are judged, and these would
// only be reported as unknown.
bool isInUntakenCopy(torch::jit::Node*, const TracedValues&, const std::vector<NodeInfo>&);

}  // namespace kadvise::graph
