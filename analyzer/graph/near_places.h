// Where a rule nearly matches, for a user who asks why it does not.
#pragma once

#include <set>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/graph/rule.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Where the node is from. What has no line of its own was made of what its readers read.
Location placeOf(const torch::jit::Node*, const std::vector<NodeInfo>&);

// The nearest first, at most `most` distinct ones; equal layers count as one. matched: nodes of places where
// the rule does match; beside those, only what has most of the pattern is near.
std::vector<NearPlace> nearPlaces(const Rule&, torch::jit::Graph&, const std::set<torch::jit::Node*>& matched,
                                  const std::vector<NodeInfo>&, const TracedValues&, std::size_t most);

}  // namespace kadvise::graph
