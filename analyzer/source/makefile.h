// What the Makefile near a source gives to its compiler: macros and folders of headers. It is read as text,
// for want of a compile_commands.json; nothing of it is run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kadvise::source {

struct MakefileFlags {
  std::vector<std::filesystem::path> read;     // the Makefile, and what it includes
  std::vector<std::filesystem::path> folders;  // those of -I that are there, absolute
  std::string macros;                          // #define lines, each for a name that has no meaning yet
  bool fastMath = false;                       // nvcc is told --use_fast_math, in some variant at least
};

// Of the Makefile in the file's folder, else of the nearest of the two folders above; nullopt when there is
// none, or it says nothing.
std::optional<MakefileFlags> makefileFlags(const std::filesystem::path& source);

}  // namespace kadvise::source
