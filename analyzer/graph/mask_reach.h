// How far a mask's program has to be tried so that what it says at some lengths it says at all others.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/graph/mask_program.h"

namespace kadvise::graph {

// A mask that compares whole multiples of positions and sizes with numbers is the same for all lengths beyond
// those numbers. Where an operator makes anything else of a position (a product with 0.01, a block's index, a
// root), a window may end beyond every length that is tried.
struct MaskReach {
  std::string whyNot;        // names the operator
  std::int64_t longest = 0;  // all the numbers together that positions are compared with or moved by
};
MaskReach reachOf(const MaskProgram&, const Dtypes&);

}  // namespace kadvise::graph
