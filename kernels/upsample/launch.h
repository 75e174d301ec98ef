// The border between the torch side (op.cpp) and the CUDA side of the upsampling operators.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

enum class UpsampleMode : std::int32_t { Nearest = 0, Bilinear = 1, Bicubic = 2 };

// Rows, or columns. Element i of the result lies at (i + center) * ratio of x, in elements, where the middle
// of x's element j lies at j + center; of the nearest, x's element j reaches from j to j + 1.
struct UpsampleDim {
  std::int32_t size, resultSize;  // both at least 1
  float ratio;                    // elements of x to one of the result
  float center;                   // 0 or 0.5
};

// result = x at other places, interpolated in float, rounded to dtype once. Pointers are of the current
// device and aligned to the dtype at least; x and result are dense.
struct UpsampleArgs {
  const void* x;
  void* result;
  std::int64_t images, channels;  // both at least 1
  UpsampleDim rows, columns;
  bool channelsLast;  // [images, rows, columns, channels], or [images, channels, rows, columns]
  UpsampleMode mode;
  Dtype dtype;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaUpsample = const char*(const kadvise::UpsampleArgs*, void* stream);
}
