// Without a build: where a project's includes begin, as far as that can be guessed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kadvise::source {

struct GuessedFolder {
  std::filesystem::path folder;
  bool isOfProject = true;  // for includes in quotes, too; what others wrote comes behind all system headers
};

// One of the folders above the file, or an include/ there, up to its repository. Those that are there.
std::vector<GuessedFolder> guessedFolders(const std::filesystem::path& file);

// Where the headers would be found if such a folder came, as those of others do when a clone gets its
// modules: folders of others are called as the header's own folder is, or stand there empty.
std::vector<std::string> placesToCome(const std::filesystem::path& file,
                                      const std::vector<std::string>& headers);

}  // namespace kadvise::source
