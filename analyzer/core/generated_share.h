// How much of a module's element-wise and row work one-pass kernels could do, and what stands in the way of
// the rest.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

struct LeftOut {
  std::string reason;  // a word of a closed list, see graph/row_share.h
  int operators = 0;
  double bytes = 0;     // traffic of a call, by shapes
  std::string example;  // the operator among them that moves most
};

struct GeneratedShare {
  int regions = 0, operators = 0;     // inside regions
  double bytes = 0, bytesInside = 0;  // of all such operators as they are; of those inside regions
  std::vector<LeftOut> leftOut;       // the most bytes first

  double share() const { return bytes > 0 ? bytesInside / bytes : 1; }
};

void to_json(Json&, const GeneratedShare&);
void from_json(const Json&, GeneratedShare&);

}  // namespace kadvise
