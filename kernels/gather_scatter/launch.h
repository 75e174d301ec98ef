// The border between gather_scatter_add's torch side (op.cpp) and its CUDA side (op.cu).
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

// sums[target[e], :] += scale[e] * x[source[e], :] for every edge e, in float. Rows of x are contiguous, and
// xStride apart; all others are dense. Pointers are of the current device and aligned to their types at
// least. An index out of range stops the kernel, as torch's own does.
struct GatherScatterArgs {
  const void* x;
  const std::int64_t* source;
  const std::int64_t* target;
  const void* scale;              // [edges]; null for none
  float* sums;                    // [targets, columns]; holds zeros
  std::int64_t edges, columns;    // at least 1 each
  std::int64_t sources, targets;  // rows of x and of sums
  std::int64_t xStride;           // in elements
  Dtype dtype;                    // of x and scale
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaGatherScatter = const char*(const kadvise::GatherScatterArgs*, void* stream);
}
