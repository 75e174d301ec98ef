// An exception of LibTorch as one sentence for people.
#pragma once

#include <exception>
#include <string>

namespace kadvise {

// The first meaningful line: without backtraces, TorchScript's traceback, and source excerpts.
std::string reasonOf(const std::exception&);

}  // namespace kadvise
