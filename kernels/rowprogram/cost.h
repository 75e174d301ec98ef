// What a schedule costs on a GPU, by a model that only has to put candidates in order.
//
// It is Little's law: blocks that fit on the GPU at once make a wave, a wave takes as long as its bytes need
// at full rate, but no less than the way of one row through its passes.
#pragma once

#include "kernels/rowprogram/plan.h"

namespace kadvise::rowprogram {

struct Traffic {
  double bytes = 0;         // of all rows
  int sharedBytes = 0;      // of a vector, where rows lie in shared memory
  double operations = 0;    // of a vector, in instructions
  bool rowVectors = false;  // something that all rows read alike
};

Traffic trafficOf(const Plan&);

// Columns: bytes in which a block's threads join their partial results.
int joiningBytes(const Plan&, const Schedule&);

// Vectors that cover a row.
std::int64_t vectorsOf(const Plan&);

// Shared memory of a block in bytes.
std::int64_t sharedOf(const Schedule&, const Plan&, const Traffic&);

// Blocks that an SM has at once: of a persistent kernel, which is compiled for so many, the grid is that
// large.
int blocksPerSm(const Schedule&, const Plan&, const Traffic&, const Gpu&);

// Seconds.
double estimate(const Schedule&, const Plan&, const Traffic&, const Gpu&);

}  // namespace kadvise::rowprogram
