// Pieces of a tensor that nobody reads as a whole: while they count as tensors of their own, writes to them
// can be taken away.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Puts a copy before chunk, split and the like and one behind each piece, where some piece is written to,
// each is read from the list once, and the whole is used for nothing else. False where there are none. Until
// joinPieces() only.
bool tellPiecesApart(torch::jit::Graph&);

// Takes the copies out again. Writes that are left write to the pieces, as they did.
void joinPieces(torch::jit::Graph&);

}  // namespace kadvise::graph
