// The border between causal_conv1d's torch side (op.cpp) and its CUDA side (op.cu).
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

// Of a tensor [batch, channel, time], in elements.
struct SequenceStride {
  std::int64_t batch, channel, time;
};

// result[b, c, t] = act(bias[c] + sum over k of weight[c, k] * x[b, c, t - width + 1 + k]), x being 0 before
// its beginning; in float, rounded once. Pointers are of the current device and aligned to the dtype at
// least.
struct CausalConv1dArgs {
  const void* x;
  const void* weight;  // [channels, width], dense
  const void* bias;    // [channels], dense; null for none
  void* result;        // its channels or its times are dense, like x's
  SequenceStride xStride, resultStride;
  std::int64_t batches, channels, length;  // at least 1 each
  std::int32_t width;                      // 2, 3 or 4
  Dtype dtype;                             // of every tensor
  bool timesDense;                         // time has stride 1 in x and result; else channel has
  bool silu;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaCausalConv1d = const char*(const kadvise::CausalConv1dArgs*, void* stream);
}
