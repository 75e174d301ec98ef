// CUDA text as code for an architecture: from NVRTC, or from the files of earlier processes.
#pragma once

#include <string>

namespace kadvise {

struct Compiled {
  std::string image;    // a cubin, or PTX that ends with a zero where NVRTC does not know the architecture
  std::string problem;  // a sentence, with the compiler's words; the image is then empty
};

// From any number of threads at once. arch: 90 for sm_90.
Compiled compileFor(const std::string& text, int arch);

// Whether a file has it, so that no compiler is needed.
bool isCompiled(const std::string& text, int arch);

}  // namespace kadvise
