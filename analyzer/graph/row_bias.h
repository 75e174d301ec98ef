// A convolution adds its bias in a pass of its own over what the product made (ATen does behind cuDNN). A row
// program can take that pass along; the convolution then computes without a bias.
#pragma once

#include <optional>
#include <string>

#include "analyzer/graph/cost.h"
#include "analyzer/graph/row_call.h"
#include "analyzer/graph/row_statements.h"

namespace kadvise::graph {

// The pass as a statement: operand 0 is the node's own result, as it is before it. nullopt for what is no
// convolution or has no bias.
std::optional<RowOperator> biasPassOf(const torch::jit::Node*, const TracedValues&);

// Of the pass, where ATen makes one; of any other node, what costOf says.
Cost rowCostOf(const torch::jit::Node*, const RowOperator&, const TracedValues&);

// A call of the convolution without its bias, see callOf.
std::string callWithoutBias(const torch::jit::Node*, const NameOf&);

}  // namespace kadvise::graph
