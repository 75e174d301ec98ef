#pragma once

#include <filesystem>

namespace kadvise {

// Loads a library that registers operators with LibTorch, for the rest of the process. Throws Error with the
// loader's reason.
void loadOperatorLibrary(const std::filesystem::path&);

}  // namespace kadvise
