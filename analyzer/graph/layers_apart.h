// Layers that torch computes in one operator at inference, as the operators that they consist of.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// nn.TransformerEncoderLayer and nn.MultiheadAttention (of one tensor) take
// aten::_transformer_encoder_layer_fwd and aten::_native_multi_head_attention where no gradients are wanted:
// nothing of them can be matched, and nothing beside them be fused. Of nested tensors they stay what they
// are, and where padding makes a module's tensors nested they are left alone.
void takeLayersApart(torch::jit::Graph&);

// Whether an operator of the graph makes tensors whose sizes differ from row to row. Where none does,
// prim::is_nested is false of all that is no input.
bool makesNested(torch::jit::Graph&);

}  // namespace kadvise::graph
