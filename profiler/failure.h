// An exception of LibTorch as one sentence for people.
#pragma once

#include <exception>
#include <string>

namespace kadvise {

// The first meaningful line: without backtraces, TorchScript's traceback, and source excerpts.
std::string reasonOf(const std::exception&);

// Whether it says that the GPU's memory was not enough: TorchScript throws words, and no
// c10::OutOfMemoryError.
bool lacksMemory(const std::string& reason);

// What cannot be asked for want of memory.
struct NoMemory : std::exception {
  const char* what() const noexcept override { return "the GPU has not the memory for it"; }
};

}  // namespace kadvise
