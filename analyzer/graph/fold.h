// Folded weights: what a replacement computes from parameters alone is computed once, into named buffers.
#pragma once

#include <unordered_set>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

inline constexpr const char* kFoldMethod = "kadvise_fold";

// Who gets what forward returns. To a caller nothing is handed out that one operator makes of parameters,
// since a copy of it would cost as much; a region's results are read on in the module where it stands.
enum class HandedTo { Caller, Comparison };

// Takes out of `forward` the pure computations on parameters and constants that replacements inserted, and
// gives the module a method `kadvise_fold` that computes them into buffers "kadvise_folded_N". Returns how
// many buffers; 0 leaves the module as it is. Until kadvise_fold has run, the buffers are empty tensors.
int foldWeights(torch::jit::Module&, HandedTo);

// Whether folding takes the node out, given those that it takes out before it, unless a caller gets its
// result.
bool isFoldable(torch::jit::Node*, const std::unordered_set<torch::jit::Node*>& folded);

// A tensor that folding makes where the module has its own, and that goes with them: for asking on which
// device they are where none of them takes part. Put at the graph's insert point.
torch::jit::Value* insertAtHome(torch::jit::Graph&);
bool isAtHome(const torch::jit::Node*);

// Runs kadvise_fold on real weights and removes the method: the module is then complete by itself.
void finishFolding(torch::jit::Module&);

// Constant propagation and dead code removal; what "if bias is None" leaves once the bias is known.
void simplify(const std::shared_ptr<torch::jit::Graph>&);

}  // namespace kadvise::graph
