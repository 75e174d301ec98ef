// A call of one of the module's operators beside a row program.
#pragma once

#include <functional>
#include <string>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// What an operand is called there; "" of a constant, which is written out.
using NameOf = std::function<std::string(const torch::jit::Value*)>;

// "torch.reshape(t0, [2, -1])", as TorchScript reads it.
std::string callOf(const torch::jit::Node*, const NameOf&);

}  // namespace kadvise::graph
