// The border between selective_scan's torch side (op.cpp) and its CUDA side (op.cu).
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

// A tensor [batch, row, time]; rows are channels, or states for B and C. Strides are in elements.
struct ScanTensor {
  const void* data;  // null: an optional tensor that is not there
  std::int64_t batch, row, time;
  bool byChunks = false;  // times are dense and rows begin at 16 bytes; the CUDA side sees to it
};

// For every batch and channel, with h = 0 before the first time:
//   d = dt + bias, or softplus(dt + bias);  h[n] = exp(d A[n]) h[n] + d x B[n];  y = sum of h[n] C[n]
//   result = (y + D x) * silu(z)
// in float, rounded once. Pointers are of the current device and aligned to the dtype at least.
struct SelectiveScanArgs {
  ScanTensor x, dt, z, B, C;
  const float* A;                          // [channels, states], dense
  const float* D;                          // [channels], dense; null for none
  const float* bias;                       // the same, of dt
  ScanTensor result;                       // written to; [batch, channel, time]
  std::int64_t batches, channels, length;  // at least 1 each
  std::int32_t states;                     // 1 to kMostStates
  Dtype dtype;                             // of x, dt, z, B and C
  Dtype resultDtype;                       // that, or Float
  bool softplus;
};
constexpr std::int32_t kMostStates = 64;

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaSelectiveScan = const char*(const kadvise::SelectiveScanArgs*, void* stream);
}
