// A problem and a schedule as CUDA text without headers, and how to launch it.
#pragma once

#include "kernels/rowprogram/schedule.h"

namespace kadvise::rowprogram {

struct Launch {
  std::string name;  // extern "C" __global__
  std::int64_t grid[3] = {1, 1, 1};
  int block = 128;
  int cluster = 1;      // blocks along x
  int sharedBytes = 0;  // dynamic
};

// Each kernel takes the inputs' addresses in order, then the outputs', then (where scratchBytes is not 0) the
// address of the scratch memory, then `numbers` as long long. The text depends on what the plan has to bake
// only: a call that differs in `numbers` and grid alone has equal text.
struct Source {
  std::string text;
  std::vector<Launch> launches;  // in this order, on one stream
  std::size_t scratchBytes = 0;  // uninitialised
  std::vector<std::int64_t> numbers;
  std::vector<char> overwritten;  // inputs: the address of the output over it may be the input's
};

Source emit(const Problem&, const Schedule&, const Gpu&);

}  // namespace kadvise::rowprogram
