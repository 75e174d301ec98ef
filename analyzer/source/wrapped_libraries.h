// Thrust and CUB in a namespace of the project's own, which its build names: "amgx::thrust::sort".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kadvise::source {

struct WrappedLibraries {
  std::vector<std::pair<std::string, std::string>> macros;  // those that CCCL has for it, and the namespace
  std::filesystem::path file;                               // the CMakeLists.txt that says so
};

// By the CMakeLists.txt of the nearest folder above that names one, read as text.
std::optional<WrappedLibraries> wrappedLibraries(const std::filesystem::path& source);

// The text says itself, before its includes, what they are wrapped in.
bool isWrapped(const std::string& text);

}  // namespace kadvise::source
