#include "analyzer/core/operator_library.h"

#include <dlfcn.h>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

bool load(const char* path) { return ::dlopen(path, RTLD_NOW | RTLD_GLOBAL) != nullptr; }

}  // namespace

void loadOperatorLibrary(const std::filesystem::path& path) {
  auto absolute = std::filesystem::absolute(path);
  if (load(absolute.c_str())) return;
  std::string reason = ::dlerror();
  // Libraries of Python packages are linked to libtorch.so, which Python has loaded before them; our programs
  // need only its CPU half.
  if (reason.find("libtorch") != std::string::npos || reason.find("libc10") != std::string::npos) {
    if (load("libtorch.so") && load(absolute.c_str())) return;
    if (auto* again = ::dlerror()) reason = again;
  }
  throw Error(path.string(), "the operator library cannot be loaded: " + reason);
}

}  // namespace kadvise
