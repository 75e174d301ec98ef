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

// The same with another word for one argument, by its name in the schema.
std::string callWith(const torch::jit::Node*, const std::string& argument, const std::string& word,
                     const NameOf&);

}  // namespace kadvise::graph
