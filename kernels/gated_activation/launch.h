// The border between the torch side (op.cpp) and the CUDA side (op.cu) of activation and gated_activation.
#pragma once

#include "kernels/common/abi.h"
#include "kernels/common/activation.h"

namespace kadvise {

// result = act(gate) * up, or act(gate) where up is null: act is computed in float and rounded to dtype
// before the product. Pointers are of the current device and aligned to the dtype at least; strides are in
// elements.
struct GatedActivationArgs {
  const void* gate;
  const void* up;  // null: there is none
  void* result;    // no two rows may overlap
  RowGrid grid;
  RowStride gateStride, upStride, resultStride;
  std::int64_t length;  // elements of a row; at least 1
  Dtype dtype;          // of every tensor
  Activation activation;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaGatedActivation = const char*(const kadvise::GatedActivationArgs*, void* stream);
}
