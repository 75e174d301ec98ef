// Which headers of CUDA, LibTorch and C++ declare what a file does not know.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyzer/source/parse.h"

namespace kadvise::source {

// 'THREADS' and 'std::basic_ostream<char>', as Clang quotes what it does not know.
std::set<std::string> namesIn(const std::vector<SyntaxError>&);

// #include lines for the names, "" for none. A file that is a part of others, or whose own headers are not
// all here, has them from there.
std::string includesOf(const std::set<std::string>& names);

}  // namespace kadvise::source
