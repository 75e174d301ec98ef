// compute-sanitizer, which watches every access of the kernels of a program: where it is, how it is started,
// and what it says at the end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/child.h"

namespace kadvise {

inline constexpr const char* kSanitizerName = "compute-sanitizer";

// The names of its tools, as --sanitize takes them.
const std::vector<std::string>& sanitizerTools();

// On PATH, else in the folder where CUDA is installed by default; Error names the remedy.
std::filesystem::path findSanitizer();

// program under a tool, which writes what it finds to a log. Memory comes from the driver block by block
// then: what LibTorch hands out of one large block has no bounds that a tool could see.
Program sanitized(const Program& program, const std::filesystem::path& sanitizer, const std::string& tool,
                  const std::filesystem::path& log);

struct SanitizerLog {
  bool isComplete = false;  // the tool lived to say its summary
  long errors = 0, warnings = 0;
  std::string kind, kernel;  // of the first error: "Invalid __global__ read of size 4 bytes", "" for none
  std::string lastLine;
};

// Any text gives an answer: what has no summary is not complete.
SanitizerLog parseSanitizerLog(const std::string& text);

// "3 errors, the first: Invalid __global__ read of size 4 bytes in kernel copyRows", "no error"
std::string words(const SanitizerLog&);

}  // namespace kadvise
