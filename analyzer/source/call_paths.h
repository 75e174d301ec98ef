// From a kernel into the functions of the same file that it calls.
#pragma once

#include <vector>

#include "analyzer/source/threads.h"

namespace kadvise::source {

struct CallPath {
  std::vector<const clang::CallExpr*> calls;  // from the kernel on; empty for the kernel itself
  const clang::FunctionDecl* function = nullptr;
};

// The kernel first, then what it calls, not through pointers, and not the same function again below itself.
std::vector<CallPath> callPathsOf(const Unit&, const clang::FunctionDecl& kernel);

// At the end of the path, seen from the kernel's threads; null where a call cannot be followed.
Threads* along(Threads& kernel, const CallPath&);

}  // namespace kadvise::source
