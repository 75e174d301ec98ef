// Who would notice that a value has other strides than before.
#pragma once

#include <optional>
#include <string>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Those in the order of the dimensions suit every view of the value itself.
enum class NewStrides { Any, InOrder };

// What somebody makes of the value's strides, by way of views, pointwise operators and all others that hand
// on the layout of an operand: asks for them, or makes a view or a copy by them where the module can tell the
// one from the other. "has strides that are observed by aten::stride"; nullopt where nobody does.
std::optional<std::string> strideObserver(const torch::jit::Value*, NewStrides = NewStrides::Any);

// Whether anybody asks for the value's strides or its place in memory, by way of views too; that view does is
// not counted, which goes by the strides of dimensions of more than one element.
bool askedForStrides(const torch::jit::Value*);

}  // namespace kadvise::graph
