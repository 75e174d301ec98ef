// How ready a module is for CUDA graphs, for fusion and for export: the pieces it falls into and what cuts
// it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

// Operators that run one after the other with nothing between that ends a piece. share: of the whole, 0 to 1.
struct ReadyRegion {
  int operators = 0;
  double share = 0;
  Location first, last;
};

struct Cut {
  std::string rule;
  std::vector<std::string> findings;
  Location where;
};

struct Capability {
  std::string kind;                  // cuda-graph, fusion, export
  std::vector<ReadyRegion> regions;  // in execution order
  std::vector<Cut> cuts;             // in execution order; none: it is one piece
  double share = 0;                  // of all regions together
};

struct Readiness {
  std::string basis;                  // what shares are of: "time", "traced bytes", "operators"
  std::vector<std::string> judgedBy;  // the rules that could have found a cut: others were not asked
  std::vector<Capability> capabilities;

  const Capability* find(const std::string& kind) const;
};

void to_json(Json&, const Readiness&);
void from_json(const Json&, Readiness&);

}  // namespace kadvise
