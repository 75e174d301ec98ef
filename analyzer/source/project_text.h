// Files of a project that say something of its sources: build scripts, and what wraps them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kadvise::source {

// "" for what is no file, is longer than that, or is not ours to read: as if it were not there.
std::string projectText(const std::filesystem::path&, std::size_t limitBytes);

// Which of them were asked about a source: where one appears, changes or goes, so may all that was learnt.
struct AskedFiles {
  std::vector<std::filesystem::path> there;     // scripts of its build, whatever they say
  std::vector<std::filesystem::path> searched;  // would be read, too; "*.py" for any Python of a folder

  std::string textOf(const std::filesystem::path&, std::size_t limitBytes);
  void note(const std::filesystem::path&);
};

}  // namespace kadvise::source
