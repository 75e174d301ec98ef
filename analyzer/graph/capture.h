// The module that owns CUDA graphs: forward with its capturable parts replaced by calls of a runner, and
// these parts as modules of their own.
#pragma once

#include <vector>

#include "analyzer/graph/capture_pieces.h"
#include "analyzer/graph/graph_runner.h"

namespace kadvise::graph {

struct Carved {
  torch::jit::Module module;               // forward as it was, but for the parts
  std::vector<torch::jit::Module> pieces;  // each with `captured` and `plain`: Tensor[] -> Tensor[]
  c10::ClassTypePtr runner;
};

// Takes the module apart, in place: only what is returned may be used afterwards. The runners are not there
// yet: see addRunners.
Carved carve(torch::jit::Module&, const CapturePlan&, const std::string& runnerClass = kRunnerClass);

// Gives the module its runners. What happens to a piece later does not reach them.
void addRunners(Carved&);

}  // namespace kadvise::graph
