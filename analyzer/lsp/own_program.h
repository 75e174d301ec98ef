// This very program, started once more.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/child.h"

namespace kadvise::lsp {

// At work in a folder.
Program kadviseIn(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// Of what a client gives: a file's URI, or its path.
std::filesystem::path pathFrom(const std::string&);

}  // namespace kadvise::lsp
