// Who registers an operator that nobody has registered: the end of a sentence that names it.
#pragma once

#include <string>

namespace kadvise::graph {

// "torchvision::nms" -> "which no loaded library registers; name torchvision's library with --op-library
// (…)".
std::string whoRegisters(const std::string& qualifiedName);

}  // namespace kadvise::graph
