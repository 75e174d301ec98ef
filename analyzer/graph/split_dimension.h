// Inputs of a program in which one dimension of the result is split in two.
#pragma once

#include <optional>
#include <string>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Of a result of `rank` dimensions, of which one is of size outer * inner.
struct SplitDimension {
  std::size_t rank, dim;
  std::int64_t outer, inner;
};

// An input of that name, aligned to the result from the right, as the program with both dimensions reads it:
// of the size that it has in the run, or an error in the call. nullopt where that is not known, or neither
// the result's nor 1.
std::optional<std::string> splitInput(const std::string& name, const torch::jit::Value*,
                                      const SplitDimension&, const TracedValues&);

}  // namespace kadvise::graph
