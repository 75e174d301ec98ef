// The border between the torch side (op.cpp) and the CUDA side of max_pool and avg_pool.
#pragma once

#include "kernels/common/abi.h"
#include "kernels/common/activation.h"

namespace kadvise {

enum class PoolKind : std::int32_t { Max = 0, Average = 1 };

// One of the dimensions over which a window goes. An image is a volume of depth 1.
struct PoolDim {
  std::int64_t size, resultSize;  // both at least 1
  std::int32_t kernel, stride, pad, dilation;
};

// result = activation(the largest value, or the mean, of each window of x), in float, rounded to dtype once.
// A NaN is the largest. Pointers are of the current device and aligned to the dtype at least.
struct PoolArgs {
  const void* x;
  void* result;
  std::int64_t images, channels;
  PoolDim depth, rows, columns;
  std::int64_t divisor;  // of an average; 0: the elements of the window
  bool countsPadding;    // among these elements
  bool channelsLast;     // x and result are dense: [images, depth, rows, columns, channels], or [images,
                         // channels, …]
  PoolKind kind;
  Dtype dtype;
  Activation activation;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaPool = const char*(const kadvise::PoolArgs*, void* stream);
}
