// The border between add_layer_norm's torch side (op.cpp) and its CUDA side (op.cu); the CPU kernel takes the
// same arguments.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

struct RowSchedule;  // kernels/common/row_schedule.h

// sum = x + residual, rounded to dtype; normalized = (sum - mean) / sqrt(variance + eps) * weight + bias over
// each row. Pointers are of the device that runs the kernel and aligned to the dtype at least; strides are in
// elements.
struct AddLayerNormArgs {
  const void* x;
  const void* residual;
  const void* weight;  // null: 1
  const void* bias;    // null: 0
  void* sum;           // no two rows may overlap
  void* normalized;    // rows one after the other
  RowGrid grid;
  RowStride xStride, residualStride, sumStride;
  std::int64_t length;  // elements of a row, of weight and of bias; at least 1
  float eps;
  Dtype dtype;                  // of every tensor
  const RowSchedule* schedule;  // null: chosen by row length; the benchmark's sweep names one
  float* scratch;               // kadvise_cuda_add_layer_norm_scratch elements; null when that is 0
};

}  // namespace kadvise

extern "C" {
// Floats of scratch memory that the launch will need with these arguments (`scratch` itself is not read).
using KadviseCudaAddLayerNormScratch = std::int64_t(const kadvise::AddLayerNormArgs*);

// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaAddLayerNorm = const char*(const kadvise::AddLayerNormArgs*, void* stream);
}
