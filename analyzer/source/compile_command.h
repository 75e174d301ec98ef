// The compiler call of a build, as Clang can follow it: nvcc, nvc++, gcc and clang spell the same things in
// different ways. Nothing of the call is executed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/source/tier.h"

namespace kadvise::source {

// What a build says about one file.
struct CompileCommand {
  std::filesystem::path directory;     // relative paths start here
  std::vector<std::string> arguments;  // of Clang: macros, include folders, the standard, warnings aside
  std::filesystem::path toolkit;       // of the nvcc that was called, "" when the call does not say
  int arch = 0;                        // the newest that is built for: 90; 0 when the call does not say
  bool fastMath = false;               // --use_fast_math or -ffast-math
  bool forCuda = false;                // the call compiles CUDA, whatever the file is called
  std::vector<std::filesystem::path> responseFiles;  // that it names, whether they are there or not
};

// call: the program and its arguments. Response files (@FILE, --options-file) are read, up to a bound.
CompileCommand translate(const std::vector<std::string>& call, const std::filesystem::path& directory);

// A command line as a POSIX shell splits it, without any expansion.
std::vector<std::string> shellWords(const std::string&);

// By name one that may be of CUDA or of C++.
bool isHeader(const std::filesystem::path&);

// By the name of the file: .cu, .cuh and .cu.cc are CUDA; a header is what its text looks like.
Language languageOf(const std::filesystem::path&, const std::string& text);

}  // namespace kadvise::source
