// The border between the torch side (op.cpp) and the CUDA side of grouped_conv.
#pragma once

#include "kernels/common/abi.h"
#include "kernels/common/activation.h"

namespace kadvise {

// result = activation(convolution of each group's channels of x with the kernels of that group, plus the
// bias), summed in float and rounded to dtype once. Pointers are of the current device and aligned to the
// dtype at least.
struct GroupedConvArgs {
  struct Steps {
    std::int64_t image, row, column;  // elements from one to the next; channels lie side by side
  };
  const void* x;
  const void* weight;  // results x kernelRows x kernelColumns x channels of a group, contiguous
  const void* bias;    // of each result channel; null: 0
  void* result;        // images x resultRows x resultColumns x results, contiguous
  std::int64_t images, channels, results, groups;
  std::int64_t rows, columns;              // of x
  std::int64_t resultRows, resultColumns;  // at least 1
  std::int32_t kernelRows, kernelColumns, strideRows, strideColumns, padRows, padColumns;
  std::int32_t dilationRows, dilationColumns;
  Steps steps;  // of x
  Dtype dtype;  // of all tensors; factors of Float are rounded to TF32
  Activation activation;
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed. Where there is no kernel for these sizes, *serves is 0 and
// nothing is enqueued; else 1.
using KadviseCudaGroupedConv = const char*(const kadvise::GroupedConvArgs*, void* stream, int* serves);
}
