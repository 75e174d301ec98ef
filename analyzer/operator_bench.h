// `kadvise bench OP`: one operator over shapes, by kadvise-measure's verb `bench`.
#pragma once

#include <string>
#include <vector>

#include "analyzer/assistant.h"

namespace kadvise {

struct BenchOptions {
  std::vector<std::string> shapes;  // "4096x4096"; none: a sweep
  std::string dtype = "float32";
  double budgetSeconds = 20;
};

// device and opLibraries of the subject count. What goes wrong after the engine has started is in the
// report's errors.
Report benchOperator(const AssistantOptions&, const Subject&, const std::string& op, const BenchOptions&);

}  // namespace kadvise
