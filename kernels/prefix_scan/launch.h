// The border between prefix_scan's torch side (op.cpp) and its CUDA side (op.cu).
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

enum class ScanKind : std::int32_t { Sum = 0, Product = 1, LogSumExp = 2 };

// result = the running sum (product, logarithm of the sum of powers) of x along one dimension, in float,
// rounded once. Either that dimension is the row (steps 0), or rows lie beside each other and are scanned
// across, `steps` of them, one element after the other. Pointers are of the current device and aligned to the
// dtype at least.
struct PrefixScanArgs {
  const void* x;
  const bool* mask;  // x counts as x * mask; null for none
  void* result;      // no two rows may overlap
  RowGrid grid;
  RowStride xStride, maskStride, resultStride;
  std::int64_t length;                       // elements of a row; at least 1
  std::int64_t steps;                        // 0: along the row
  std::int64_t xStep, maskStep, resultStep;  // in elements
  ScanKind kind;
  Dtype dtype;     // of x and result
  bool exclusive;  // without the element itself
  bool reverse;    // from the end
  void* scratch;   // kadvise_cuda_prefix_scan_scratch bytes; null when that is 0
};

}  // namespace kadvise

extern "C" {
// Bytes of scratch memory that the launch will need with these arguments, whose pointers are those of the
// launch (`scratch` itself is not read).
using KadviseCudaPrefixScanScratch = std::int64_t(const kadvise::PrefixScanArgs*);

// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaPrefixScan = const char*(const kadvise::PrefixScanArgs*, void* stream);
}
