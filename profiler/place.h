// Where a piece of a module comes from. Core only.
#pragma once

#include <string>

#include "analyzer/core/types.h"

namespace kadvise {

struct Place {
  std::string op;        // aten::linear
  Location where;        // the user's line, and the module path as scope, where "" is the module itself
  bool isKnown = false;  // the module path is
};

}  // namespace kadvise
