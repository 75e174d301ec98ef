// The border between the torch side (op.cpp) and the CUDA side of depthwise_conv.
#pragma once

#include "kernels/common/abi.h"
#include "kernels/common/activation.h"

namespace kadvise {

// Elements from one to the next.
struct DepthwiseSteps {
  std::int64_t image, channel, row, column;
};

// result = activation(convolution of each channel of x with its own kernel, plus its bias), summed in float
// and rounded to dtype once. A signal is an image of one row or of one column. Pointers are of the current
// device and aligned to the dtype at least.
struct DepthwiseArgs {
  const void* x;
  const void* weight;  // channels x kernelRows x kernelColumns, contiguous
  const void* bias;    // of each channel; null: 0
  void* result;
  std::int64_t images, channels;
  std::int64_t rows, columns;              // of x; the result's follow
  std::int64_t resultRows, resultColumns;  // at least 1
  std::int32_t kernelRows, kernelColumns, strideRows, strideColumns, padRows, padColumns;
  std::int32_t dilationRows, dilationColumns;
  DepthwiseSteps steps;  // of x, whose channels or columns have a step of one
  bool wideWeights;      // weight and bias are of floats, where dtype is not
  bool channelsLast;     // the result is dense: [images, rows, columns, channels], or [images, channels, …]
  Dtype dtype;           // of all other tensors
  Activation activation;
};

}  // namespace kadvise

extern "C" {
// Whether there is a kernel for these sizes: 0 for none, 1 for one that reads x as it lies, 2 for one that
// reads a dense x so much faster that a copy pays.
using KadviseCudaDepthwiseConvServes = int(const kadvise::DepthwiseArgs*);

// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaDepthwiseConv = const char*(const kadvise::DepthwiseArgs*, void* stream);
}
