// What the 32 lanes of a warp do to memory with one access.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/addresses.h"
#include "analyzer/source/call_paths.h"
#include "analyzer/source/control.h"

namespace kadvise::source {

struct WarpAccess {
  Access access;
  CallPath path;  // from the kernel to the function that the access stands in
  Space space = Space::Unknown;
  const clang::ValueDecl* base = nullptr;
  int lanes = 0;                       // that run it
  int sectors = 0, fewestSectors = 0;  // of 32 bytes, of device memory
  int turns = 1;                       // of shared memory: the most words that one bank is asked for
  int places = 1;                      // that differ
  std::int64_t apart = 0;              // bytes between the two lanes that show it
  int lane = 1;                        // the other one of them; the first is the first that runs
  bool isMadeUp = false;               // apart depends on a size that is not in the source
  std::vector<std::int64_t> starts;    // of the first lane, in the first turn, in each sample
  bool walks = false;                  // each turn of a loop goes on to the next element
};

// The mildest of all samples: what is reported holds for each of them. None where one of them is not known,
// or fewer than two lanes run.
std::optional<WarpAccess> warpAccessInAll(const Unit&, const Courses& ofKernel, const std::vector<Sample>&,
                                          const CallPath&, const Access&);

}  // namespace kadvise::source
