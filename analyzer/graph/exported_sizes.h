// The arithmetic on sizes that a program with dynamic shapes carries, as TorchScript's own.
#pragma once

#include "analyzer/graph/exported_values.h"

namespace kadvise::graph {

// Whether a node is such arithmetic: "_operator.mul", "math.trunc", "torch.sym_max",
// "torch.ops.aten.sym_size.int".
bool isSizeArithmetic(const std::string& target);

// Its result. Throws Error("", …) for an operation that TorchScript does not have on numbers.
jit::Value* sizeArithmetic(const ExportedValues&, const std::string& target, const Json& inputs);

}  // namespace kadvise::graph
