// The optimised module as the owner of CUDA graphs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/graph/capture.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

struct CaptureRequest {
  std::vector<std::string> pages;  // that have the words for what cannot be captured
  Target target;
};

struct CaptureResult {
  std::optional<Carved> carved;    // none where no part can be captured
  Json said;                       // parts, launches and blockers, for the front
  std::vector<std::string> facts;  // what the inputs were settled on
};

// Takes the module apart where anything in it can be captured.
CaptureResult captureIn(torch::jit::Module&, const std::vector<NodeInfo>&, const TracedValues&,
                        const CaptureRequest&);

}  // namespace kadvise::graph
