// Files of a project that say something of its sources: build scripts, and what wraps them.
#pragma once

#include <filesystem>
#include <string>

namespace kadvise::source {

// "" for what is no file, is longer than that, or is not ours to read: as if it were not there.
std::string projectText(const std::filesystem::path&, std::size_t limitBytes);

}  // namespace kadvise::source
