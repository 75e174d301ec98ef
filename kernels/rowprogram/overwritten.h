// Outputs in the memory of an input: which kernels can write there.
#pragma once

#include "kernels/rowprogram/plan.h"

namespace kadvise::rowprogram {

// For each input, whether an output stands over it (program.h) whose every element is written by the thread
// that read that element of the input, after it was read for the last time.
std::vector<char> overwrittenInputs(const Plan&);

}  // namespace kadvise::rowprogram
