// The border between the torch side (op.cpp) and the CUDA side (op.cu) of soft_cap.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

// result = cap * tanh(x / cap), computed in float and rounded to dtype once. Pointers are of the current
// device and aligned to the dtype at least; strides are in elements.
struct SoftCapArgs {
  const void* x;
  void* result;  // no two rows may overlap
  RowGrid grid;
  RowStride xStride, resultStride;
  std::int64_t length;  // elements of a row; at least 1
  Dtype dtype;          // of both tensors
  float cap;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaSoftCap = const char*(const kadvise::SoftCapArgs*, void* stream);
}
