// One call of Clang inside this process: its arguments, the files that it sees, and where its words go.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/source/clang.h"

namespace kadvise::source {

struct ClangCall {
  std::vector<std::string> arguments;  // before the file
  std::filesystem::path file;          // absolute
  std::filesystem::path directory;     // that relative paths of the arguments start at; "" for ours
  // Texts that stand over whatever is on the disk, the file's own among them.
  std::vector<std::pair<std::filesystem::path, std::string>> texts;
};

// False when Clang does not accept the arguments. adjust may change what they were made into.
bool runClang(const ClangCall&, clang::DiagnosticConsumer&,
              const std::function<void(clang::CompilerInvocation&)>& adjust, clang::FrontendAction&);

}  // namespace kadvise::source
