// unsafe_chunk and its like: chunk and its like, whose pieces may be written to while gradients are recorded.
#pragma once

#include <vector>

#include "analyzer/graph/subject.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Their schemas say that the pieces are new tensors, which they are not: to whoever believes that, a write to
// a piece is none to the whole. So they become chunk, split and split_with_sizes, whose results are the same.
void piecesAsViews(torch::jit::Graph&);

// Where the graph has such operators. A node keeps its place when its operator changes.
std::vector<torch::jit::SourceRange> placesOfUnsafePieces(torch::jit::Graph&);

// For a module that is written: autograd refuses to write to the pieces of chunk. Those whose pieces are
// written to, and that stand at one of the places, become what they were. nodes: the places of nodes that
// have ids in their stead.
void writtenPiecesAsLoaded(torch::jit::Graph&, const std::vector<torch::jit::SourceRange>& places,
                           const std::vector<NodeInfo>& nodes);

}  // namespace kadvise::graph
