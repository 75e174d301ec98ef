// What a source is called in its project, from whatever folder kadvise is run.
#pragma once

#include <filesystem>
#include <string>

namespace kadvise {

// Relative to the folder of the configuration, else to the git repository that the file is in; as it is given
// where there is neither, or the file lies outside.
std::string nameInProject(const std::string& file, const std::filesystem::path& configuration);

}  // namespace kadvise
