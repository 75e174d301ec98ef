// What the Makefile near a source gives to its compiler: macros and folders of headers. It is read as text,
// for want of a compile_commands.json; nothing of it is run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/source/project_text.h"

namespace kadvise::source {

struct MakefileFlags {
  AskedFiles asked;                            // the Makefile, what it includes, folders that are not there
  std::vector<std::filesystem::path> folders;  // those of -I that are there, absolute
  std::string macros;                          // #define lines, each for a name that has no meaning yet
  bool fastMath = false;                       // nvcc is told --use_fast_math, in some variant at least

  bool isEmpty() const { return macros.empty() && folders.empty() && !fastMath; }
};

// Of the Makefile in the file's folder, else of the nearest of the two folders above.
MakefileFlags makefileFlags(const std::filesystem::path& source);

}  // namespace kadvise::source
