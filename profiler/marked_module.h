// A copy of a module whose every node says where it comes from. LibTorch's own call stacks know only the last
// name of a module ("0" of encoder.layer.0) and lose even that in freezing; a mark in the node's source range
// comes through inlining, freezing and the executor's passes.
#pragma once

#include <torch/script.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/place.h"

namespace kadvise {

struct Marks {
  std::vector<Place> places;  // by mark
  // Of groups that the executor fuses when it runs, by the group's name and in the order of the graph.
  std::map<std::string, std::vector<Place>> fused;
};

struct MarkedModule {
  torch::jit::Module module;  // shares the parameters of the one that it was made from
  Marks marks;
};

enum class Freezing { AsLoaded, Frozen };

// Inlines forward, which the executor would do first anyway, marks its nodes, and freezes it when asked.
// Throws what LibTorch throws for a module that cannot be copied or frozen.
MarkedModule marked(const torch::jit::Module&, Freezing);

// What the executor has fused in its first runs: to be called once they have settled.
void noteFused(MarkedModule&);

// The mark of the node that the interpreter runs in this thread; none outside of a marked module.
std::optional<std::size_t> currentMark();

}  // namespace kadvise
