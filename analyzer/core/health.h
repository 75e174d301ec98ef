// What `kadvise doctor` says: one thing that a run needs or could use, whether it is there, and how to get
// it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

struct HealthLine {
  std::string name;
  std::string
      status;  // ok; problem: it should work and does not; lost: not on this machine, and what that costs
  std::string what, remedy;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HealthLine, name, status, what, remedy)

}  // namespace kadvise
