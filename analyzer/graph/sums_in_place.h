// `a += b` refuses a b that is larger than a. A replacement of such a sum, which makes new memory, must
// refuse it as well.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/graph/match.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Operators that add are told which of the two was written to.
void sayWhatIsWrittenTo(torch::jit::Node* inserted, const Match&);

// A sum of two values from outside: the replacement's argument for b becomes a view of it that raises where b
// is the larger. Where the replacement reads b more than once, it may do with it what is no sum, and b stays
// as it is.
void expandWhatIsAdded(const Replacement&, const Match&, std::vector<torch::jit::Value*>& arguments);

// The view has the dimensions of a: a replacement that reorders b's own cannot take it.
std::optional<Mismatch> whyNotExpanded(const Replacement&, const Match&,
                                       const std::vector<torch::jit::Value*>& arguments);

}  // namespace kadvise::graph
