// torch keeps no binary compatibility between minor releases: a library built for 2.11 may read wrong fields
// in 2.12.
#pragma once

#include <cstdint>
#include <string>

namespace kadvise {

// Versions as torch's own 64-bit number: major, minor and patch in the three high bytes. 0 = a torch that has
// no such number yet.
inline std::string torchRelease(std::uint64_t version) {
  return std::to_string(version >> 56) + "." + std::to_string(version >> 48 & 0xff);
}

// Empty when a library built for one torch may run with the other; else the sentence for the user.
inline std::string torchMismatch(std::uint64_t built, std::uint64_t running) {
  if (built >> 48 == running >> 48) return {};
  const std::string found = running == 0 ? "an older torch" : "torch " + torchRelease(running);
  return "libkadvise_kernels.so was built for torch " + torchRelease(built) + " but " + found +
         " has loaded it: install torch " + torchRelease(built) + ", or the kadvise built for that torch";
}

}  // namespace kadvise
