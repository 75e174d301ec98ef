// Which headers of CUDA, LibTorch and C++ declare what a file does not know.
#pragma once

#include <set>
#include <string>

namespace kadvise::source {

// #include lines for the names, "" for none. A file that is a part of others, or whose own headers are not
// all here, has them from there.
std::string includesOf(const std::set<std::string>& names);

}  // namespace kadvise::source
