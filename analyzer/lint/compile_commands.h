// Where a build says how its files are compiled. The file itself is read by kadvise-source.
#pragma once

#include <filesystem>

namespace kadvise {

// compile_commands.json in the folder or above it, or below a folder build/ there (build/, build/release/);
// "" for none. Of several in a build folder the one that was written last.
std::filesystem::path findCompileDatabase(const std::filesystem::path& folder);

}  // namespace kadvise
