#include "analyzer/lint/toolkit.h"

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

bool hasHeaders(const fs::path& folder) {
  std::error_code ec;
  return !folder.empty() && fs::exists(folder / "include" / "cuda_runtime.h", ec);
}

fs::path ofEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value ? fs::path(value) : fs::path();
}

// lib/python3.11/site-packages/nvidia/cu13, of an active virtual environment.
fs::path ofWheels() {
  fs::path environment = ofEnvironment("VIRTUAL_ENV");
  std::error_code ec;
  if (environment.empty()) return {};
  for (fs::directory_iterator python(environment / "lib", ec), end; !ec && python != end;
       python.increment(ec)) {
    fs::path nvidia = python->path() / "site-packages" / "nvidia";
    for (auto* part : {"cu14", "cu13", "cuda_runtime"})
      if (hasHeaders(nvidia / part)) return nvidia / part;
  }
  return {};
}

}  // namespace

fs::path findToolkit(const fs::path& named) {
  if (!named.empty()) {
    if (hasHeaders(named)) return fs::absolute(named).lexically_normal();
    throw Error("--toolkit " + named.string(), "has no include/cuda_runtime.h");
  }
  for (auto& place :
       {ofEnvironment("CUDA_HOME"), ofEnvironment("CUDA_PATH"), fs::path("/usr/local/cuda"), ofWheels()})
    if (hasHeaders(place)) return place;
  return {};
}

}  // namespace kadvise
