// A CUDA toolkit for headers: named, of the environment, installed, or of Python's wheels.
#pragma once

#include <filesystem>

namespace kadvise {

// The folder that holds include/cuda_runtime.h; "" when there is none. Throws Error when the named one has no
// headers.
std::filesystem::path findToolkit(const std::filesystem::path& named);

}  // namespace kadvise
