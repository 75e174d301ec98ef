// Inputs that keep their addresses while their values change.
#pragma once

#include "profiler/inputs.h"

namespace kadvise {

class SameMemory {
 public:
  explicit SameMemory(const Values& batch);

  // The batch in this memory: lists, dictionaries and tensors are new ones, since a call may have put other
  // things into those that it was given.
  Values values() const;
  // The batch with the last element of each floating tensor another one; integers take the first for the
  // last.
  Values touched() const;
  // Other values of the batch's structure and shapes into the same memory.
  void write(const Values&);

 private:
  const Values& batch_;
  std::vector<at::Tensor> memory_;  // in the order of mapTensors
};

}  // namespace kadvise
