// Whether the optimised module is to own CUDA graphs, and why not.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

// A place that cannot be part of a CUDA graph.
struct CaptureBlocker {
  std::string rule;  // whose page speaks of it; "" for none
  Location where;
  std::string reason;
};

enum class GraphStatus {
  Applied,        // the whole that the report speaks of owns them
  NotWorthIt,     // not clearly faster with them: the verdict "cuda-graph" has the figures
  NotCapturable,  // no part of forward is worth a graph: blockers
  Failed,         // it was tried and did not come to a verdict, or to outputs that differ
  NotTried        // switched off, or there is no GPU
};

struct CudaGraphUse {
  GraphStatus status = GraphStatus::NotTried;
  std::string reason;    // a sentence without its full stop, "" where it is applied
  int parts = 0;         // of forward, each captured by itself
  int launches = 0;      // operators in the parts
  int allLaunches = 0;   // of forward
  double poolBytes = 0;  // of GPU memory that the graphs keep; 0: not known
  std::vector<CaptureBlocker> blockers;
};

std::string word(GraphStatus);
void to_json(Json&, const CaptureBlocker&);
void from_json(const Json&, CaptureBlocker&);
void to_json(Json&, const CudaGraphUse&);
void from_json(const Json&, CudaGraphUse&);

}  // namespace kadvise
