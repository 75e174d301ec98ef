// What the scripts of a build say to compilers, read as text: nothing of them is run.
#pragma once

#include <string>
#include <vector>

namespace kadvise::source {

// A word of a compiler's command line: "-DNAME=value", "--use_fast_math".
struct BuildWord {
  std::string text;
  bool isConditional = false;  // said in some variants of the build only
};

// Of setup.py, or of any Python that has extensions compiled: its strings, and the pairs of define_macros.
std::vector<BuildWord> wordsOfPython(const std::string& text);

// Of CMakeLists.txt: definitions, and flags in the commands and variables that have them.
std::vector<BuildWord> wordsOfCMake(const std::string& text);

}  // namespace kadvise::source
