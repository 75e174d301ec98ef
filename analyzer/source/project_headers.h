// Headers that a build would find by folders nobody told us: the project is searched for the one that is
// meant.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kadvise::source {

// The top of the clone that the file is in, else the topmost folder that looks like a project's; "" for
// neither. file: absolute.
std::filesystem::path projectOf(const std::filesystem::path& file);

// The folders of the file's project in which the names, as includes write them, are found. A name with
// several candidates means the one nearest to the file; where two are as near, none. Empty where nothing
// marks a project, or it is too large to be searched.
std::vector<std::filesystem::path> foldersOfHeaders(const std::filesystem::path& file,
                                                    const std::vector<std::string>& names);

}  // namespace kadvise::source
