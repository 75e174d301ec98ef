// Generated kernels run on the CPU: many at a time are written into a few sources, compiled with the
// emulation of CUDA, loaded, run and compared with the interpreter in float64.
#pragma once

#include "kernels/rowprogram/emit.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace kadvise::rowprogram {

struct EmulatedCase {
  std::string name;
  std::string text;  // of the program
  std::vector<at::Tensor> inputs;
  std::string schedule;  // empty: the first of schedulesFor
  double relative = 0;  // most that an element may be off, relative to itself; 0: by the dtype and the others
  std::vector<std::string> pieces;  // in place of the text: programs whose results stand beside each other,
  std::int64_t dim = 0;             // along this dimension
};

// What was wrong with each case; empty where nothing was.
std::vector<std::string> runEmulated(const std::vector<EmulatedCase>& cases);

}  // namespace kadvise::rowprogram
