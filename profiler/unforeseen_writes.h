// Writes to a module's own attributes that its first calls have not shown and its graph does not tell: each
// call begins with what they left.
#pragma once

#include <torch/script.h>

#include <functional>
#include <optional>
#include <string>

#include "profiler/first_runs.h"
#include "profiler/residue.h"

namespace kadvise {

class UnforeseenWrites {
 public:
  // After the first calls of both.
  UnforeseenWrites(const torch::jit::Module& before, const torch::jit::Module& after);
  // Why nothing more can be said, if either has written by now. Both may hold the same tensors, so who did it
  // is asked of a call of the original alone.
  std::optional<Ending> ending(const std::string& caseName, const std::function<void()>& callOriginal) const;

 private:
  torch::jit::Module before_, after_;
  ModuleState wasBefore_, wasAfter_;
};

}  // namespace kadvise
