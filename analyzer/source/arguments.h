// The arguments that Clang reads a file with: what the build says, or guesses, and the headers of the tier.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/source/parse.h"

namespace kadvise::source {

struct ClangArguments {
  std::vector<std::string> language;  // what decides how any text is read: standard, macros, kind of pass
  std::vector<std::string>
      folders;  // of the user: where headers are looked for, and what is put before the file
  std::vector<std::string> forced;   // our headers that stand before every file
  std::vector<std::string> headers;  // where those of CUDA and LibTorch are

  std::vector<std::string> all() const;  // in the order in which they count
};

ClangArguments argumentsOf(const ParseRequest&);

std::filesystem::path absoluteFile(const ParseRequest&);

// The macros of the Makefile and of other scripts as a file to be put before the source: its name, where no
// such file is, and its text.
std::optional<std::pair<std::filesystem::path, std::string>> macroText(const ParseRequest&);

}  // namespace kadvise::source
