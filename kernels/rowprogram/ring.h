// Stream: rows that are on their way into shared memory while earlier ones are computed. One thread asks for
// whole rows by bulk copies; a barrier for each of the ring's places says when they are there.
#pragma once

#include "kernels/rowprogram/kernel.h"

namespace kadvise::rowprogram {

// Whether an input's rows come through the ring: in one piece of memory, at multiples of 16 bytes.
bool streams(const Plan&, int input);

// Of one place of the ring: a block's part of a row of all inputs that stream.
int placeBytes(const Plan&, const Schedule&);

class Ring {
 public:
  explicit Ring(Kernel& kernel)
      : kernel_(kernel), plan_(kernel.plan), program_(kernel.program), s_(kernel.plan.schedule) {}

  void begin(const std::string& firstRow, const std::string& step);  // barriers, and the first rows
  void wait();                                                       // for the row at hand
  void read(int input);                // the vector at hand, once the row is there
  void next(const std::string& step);  // all threads have read: asks for the row that takes its place
  void turn();                         // to the next place
  int bytes() const { return s_.stages * placeBytes(plan_, s_); }

 private:
  void ask(const std::string& row, const std::string& place);
  int offsetOf(int input) const;

  Kernel& kernel_;
  const Plan& plan_;
  const Program& program_;
  const Schedule& s_;
};

}  // namespace kadvise::rowprogram
