// Rows that stay in shared memory from one pass over them to the next: each thread reads what it wrote
// itself, 16 bytes beside its neighbour's.
#pragma once

#include "kernels/rowprogram/kernel.h"

#include <map>

namespace kadvise::rowprogram {

class SharedRows {
 public:
  explicit SharedRows(Kernel& kernel)
      : kernel_(kernel), plan_(kernel.plan), program_(kernel.program), s_(plan_.schedule) {}

  void fetch(int stage, const Place&);  // before a pass on a vector: from global memory the first time
  void keep(int stage);                 // after it
  int bytes() const { return sharedBytes_; }

 private:
  bool saved(int input) const;
  std::string slot(std::size_t s, Element e);
  void move(std::size_t s, const std::string& name, Element e, bool read);

  Kernel& kernel_;
  const Plan& plan_;
  const Program& program_;
  const Schedule& s_;
  int sharedBytes_ = 0;
  std::map<std::size_t, int> slots_;
};

}  // namespace kadvise::rowprogram
