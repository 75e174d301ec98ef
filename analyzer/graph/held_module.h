// A module with those attributes of another one that a graph reads, under the same names.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Without methods; tensors are shared with `whole`. graph: its first input is self. Attributes of the module
// itself that are neither tensors nor modules (`training`, say) come along where `withFlags` asks for it.
enum class Flags { Leave, Keep };
torch::jit::Module holdWhatIsRead(const torch::jit::Module& whole, torch::jit::Graph&, Flags,
                                  const std::string& className);

// Gives the module a method with this graph, written for another module with the same attributes. schema: of
// the method, self included; none: as the graph has it.
void adoptMethod(torch::jit::Module&, const std::string& name, const std::shared_ptr<torch::jit::Graph>&,
                 const c10::FunctionSchema* = nullptr);

}  // namespace kadvise::graph
