// Where a node of an exported program comes from: the user's line and the module path.
#pragma once

#include "analyzer/core/json.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct ExportedPlace {
  torch::jit::SourceRange range;  // empty where no line of the user's is known
  std::string scope;              // "encoder.layers.3"; "" for the top module
};

// metadata: of the node, as torch.export writes it.
ExportedPlace placeOf(const Json& metadata);

}  // namespace kadvise::graph
