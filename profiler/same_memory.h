// Inputs that keep their addresses while their values change.
#pragma once

#include "profiler/inputs.h"

namespace kadvise {

class SameMemory {
 public:
  explicit SameMemory(const Values& batch);

  const Values& values() const { return values_; }
  // The batch with the last element of each floating tensor another one; integers take the first for the
  // last.
  Values touched() const;
  // Other values of the same shapes into the same memory.
  void write(const Values&);

 private:
  const Values& batch_;
  Values values_;
};

}  // namespace kadvise
