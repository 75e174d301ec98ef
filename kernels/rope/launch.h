// The border between rope's torch side (op.cpp) and its CUDA side (op.cu).
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

// Which elements of a row turn together.
enum class RopePairs : std::int32_t {
  Halves = 0,      // i and i + rotary / 2
  Neighbours = 1,  // 2 i and 2 i + 1
};

// A dimension of the grid of rows, with its stride in each tensor, in elements.
struct RopeDim {
  std::int64_t size;
  std::int64_t x, cosine, sine, result;
};

// result = x * cos + turned(x) * sin over the first `rotary` elements of each row, in float, rounded once;
// the others are copied. The last dimension of every tensor is dense. Pointers are of the current device and
// aligned to the dtype at least.
struct RopeArgs {
  static constexpr int kDims = 4;
  const void* x;
  const void* cosine;  // rows of `rotary` elements, like sine
  const void* sine;
  void* result;         // no two rows may overlap
  RopeDim dims[kDims];  // innermost first; {1, 0, 0, 0, 0} where there are fewer
  std::int64_t length;  // elements of a row of x
  std::int64_t rotary;  // even, from 2 to length
  RopePairs pairs;
  Dtype dtype;  // of every tensor
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaRope = const char*(const kadvise::RopeArgs*, void* stream);
}
