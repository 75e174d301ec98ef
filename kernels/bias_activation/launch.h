// The border between the torch side (op.cpp) and the CUDA side (op.cu) of bias_activation and bias_add.
#pragma once

#include "kernels/common/abi.h"
#include "kernels/common/activation.h"

namespace kadvise {

// result = act(x + bias) where z is null, else x + bias + z: computed in float and rounded to dtype once.
// Pointers are of the current device and aligned to the dtype at least; strides are in elements.
struct BiasActivationArgs {
  const void* x;
  const void* bias;  // of `length` elements without gaps
  const void* z;     // null: there is none
  void* result;      // no two rows may overlap
  RowGrid grid;
  RowStride xStride, zStride, resultStride;
  std::int64_t length;  // elements of a row; at least 1
  Dtype dtype;          // of every tensor
  Activation activation;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaBiasActivation = const char*(const kadvise::BiasActivationArgs*, void* stream);
}
