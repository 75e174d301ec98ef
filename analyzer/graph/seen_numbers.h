// Numbers that a run saw.
#pragma once

#include <optional>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// The number or list of whole numbers that the run saw; nullopt where it saw none, or several.
std::optional<c10::IValue> seenNumber(torch::jit::Value*, const TracedValues&);

}  // namespace kadvise::graph
