// What is better done behind a CUDA graph than inside: a replay writes where it was captured, and a caller
// gets a copy, which takes as long as the result is large.
#pragma once

#include "analyzer/graph/capture_pieces.h"

namespace kadvise::graph {

// Takes the last product out of a piece whose result it is, where that is large and what it multiplies is not
// (the logits of a language model), with what only looks at it. The weight must be nobody else's: both sides
// would hold it.
void leaveLargeProduct(CapturePiece&, const Analysis&);

}  // namespace kadvise::graph
