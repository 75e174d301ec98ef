// The class of the kernel library that captures a module in CUDA graphs and replays it.
#pragma once

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

inline constexpr const char* kRunnerClass = "__torch__.torch.classes.kadvise.GraphRunner";

// Throws Error where no loaded library has it.
c10::ClassTypePtr runnerClassNamed(const std::string& name);

// An object of it that owns a copy of the module, which has methods `captured` and `plain` over lists of
// tensors.
c10::IValue makeRunner(const c10::ClassTypePtr&, const torch::jit::Module&);

}  // namespace kadvise::graph
