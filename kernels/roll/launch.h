// The border between the torch side (op.cpp) and the CUDA side (op.cu) of roll.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

constexpr int kMostRollDims = 6;

// result[i] = x[(i - shift) mod size] in each dimension, of contiguous tensors of pieces: the last dimensions
// that are not rolled are one piece of some bytes, neighbours that are not rolled one dimension.
struct RollArgs {
  const void* x;
  void* result;
  std::int32_t dims;                  // from the last to the first; at least 1
  std::int64_t size[kMostRollDims];   // in pieces; at least 1
  std::int64_t shift[kMostRollDims];  // from 0 to size - 1
  std::int64_t pieceBytes;            // at least 1
};

}  // namespace kadvise

extern "C" {
// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaRoll = const char*(const kadvise::RollArgs*, void* stream);
}
