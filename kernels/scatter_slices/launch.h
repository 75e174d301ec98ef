// The border between the torch side (op.cpp) and the CUDA side (op.cu) of scatter_slices.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

constexpr int kMostScatterDims = 6;
constexpr int kMostScatterParts = 8;

// Dimensions go from the last to the first. In each the part's own element i lies at begin + i * step.
struct ScatterPart {
  const void* data;
  std::int64_t begin[kMostScatterDims];
  std::int64_t step[kMostScatterDims];    // at least 1
  std::int64_t count[kMostScatterDims];   // at least 1
  std::int64_t stride[kMostScatterDims];  // of its own memory, in elements
};

// result[i] is the element of the last part that lies there, and `rest` where none does.
struct ScatterArgs {
  void* result;                         // contiguous
  std::int32_t dims;                    // at least 1
  std::int32_t parts;                   // 0 is all rest
  std::int32_t elementBytes;            // 1, 2, 4, 8 or 16
  std::int64_t size[kMostScatterDims];  // at least 1; the last dimension's at most 2^31 - 1
  unsigned char rest[16];               // one element
  ScatterPart part[kMostScatterParts];
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaScatterSlices = const char*(const kadvise::ScatterArgs*, void* stream);
}
