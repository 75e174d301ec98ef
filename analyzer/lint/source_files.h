// The files that the arguments of `kadvise lint` mean.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "analyzer/lint/lint_options.h"

namespace kadvise {

struct SourceFiles {
  std::vector<std::string> files;    // as the user would name them, sorted, each once
  std::vector<std::string> missing;  // named, and not there: deleted since, or misspelt
  std::vector<std::string> locked;   // folders that were named, and cannot be read
  std::vector<std::string> passed;   // those that were found inside of others
  std::set<std::string> named;       // of the files, those that were not found in a folder
  int excluded = 0;
};

// Folders are searched for .cu .cuh .cpp .cc .cxx .h .hpp .inl, not behind links and not in hidden folders; a
// named file is taken whatever it is called. exclude: patterns of core/glob.h, beside the folders that hold
// no sources.
SourceFiles findSources(const LintOptions&, const std::vector<std::string>& exclude,
                        const std::filesystem::path& excludeFrom);

// Whether it is called as sources are; a folder of what others wrote, or programs made.
bool isSourceName(const std::filesystem::path&);
bool isFolderWithoutSources(const std::filesystem::path&);

// Whether one of the patterns names the file, as it is given or relative to the folder ("": the working
// folder).
bool isExcluded(const std::filesystem::path&, const std::vector<std::string>& exclude,
                const std::filesystem::path& excludeFrom);

}  // namespace kadvise
