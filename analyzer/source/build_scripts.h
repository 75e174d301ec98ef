// What setup.py, CMakeLists.txt and Python that compiles extensions give to the compiler of a source. They
// are read as text, for want of a compile_commands.json; nothing of them is run.
#pragma once

#include <filesystem>

#include "analyzer/source/macro_lines.h"
#include "analyzer/source/project_text.h"

namespace kadvise::source {

struct ScriptFlags {
  AskedFiles asked;
  MacroLines macros;
  bool isCxx20 = false;   // a compiler is told C++20, or a later one
  bool fastMath = false;  // nvcc is told --use_fast_math, in some variant at least
};

// Of the folders from the source's up to its project's: the nearest first. Other Python than setup.py counts
// where it names the source.
ScriptFlags scriptFlags(const std::filesystem::path& source);

}  // namespace kadvise::source
