// Branches that the run did not take.
#pragma once

#include <unordered_set>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Arms of which the run saw nothing, of branches that it passed. Nothing is proposed there, since nothing is
// known of their values; and of joined branches (joined_branches.h) the same statements stand in
// the arm that was taken.
class UntakenArms {
 public:
  UntakenArms(torch::jit::Graph&, const TracedValues&);
  bool hold(const torch::jit::Node*) const;

 private:
  void look(torch::jit::Block*, const TracedValues&);

  std::unordered_set<const torch::jit::Block*> arms_;
};

}  // namespace kadvise::graph
