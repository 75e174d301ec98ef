// The operators that a mask's program may hold, and what each makes of positions in a sequence.
#pragma once

#include <optional>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

enum class MaskRole {
  Positions,   // numbers from a start to an end
  Constants,   // a tensor of one value, in sizes that are given
  Sum,         // of positions, sizes and numbers, or a difference
  Change,      // from one position to the next
  Count,       // of what is true so far
  Comparison,  // whose result no longer grows with positions
  Choice,      // arithmetic of what does not grow: bools, and the numbers that a mask is filled with
  Triangle,
  Slice,
  Gather,
  Cast,
  Layout,  // the same elements in another form
  Join,    // of pieces: what is behind the first is moved
  List,
  Length,  // a size of what the program made
};

// nullopt for an operator that may make anything of them.
std::optional<MaskRole> maskRoleOf(const torch::jit::Node*);

}  // namespace kadvise::graph
