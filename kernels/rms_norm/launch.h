// The border between the torch side (op.cpp) and the CUDA side (op.cu) of rms_norm and add_rms_norm.
#pragma once

#include "kernels/common/abi.h"

namespace kadvise {

struct RowSchedule;  // kernels/common/row_schedule.h

// Where x * scale is rounded to x's dtype, which models do differently.
enum class RmsRounding : std::int32_t {
  AfterWeight = 0,   // once, after the product with the weight
  BeforeWeight = 1,  // before that product, which is then rounded too
};

// sum = x + residual, rounded to dtype; normalized = sum / sqrt(mean(sum^2) + eps) * weight over each row.
// Without a residual the sum is x itself. Pointers are of the current device and aligned to their dtype at
// least; strides are in elements.
struct RmsNormArgs {
  const void* x;
  const void* residual;  // null: nothing is added
  const void* weight;    // null: 1
  void* sum;             // null where residual is
  void* normalized;
  RowGrid grid;
  RowStride xStride, residualStride;
  RowStride resultStride;  // of sum and normalized; no two rows may overlap
  std::int64_t length;     // elements of a row and of weight; at least 1
  float eps;
  Dtype dtype;        // of every tensor but the weight
  Dtype weightDtype;  // dtype, or Float
  RmsRounding rounding;
  const RowSchedule* schedule;  // null: chosen by row length; a sweep names one
  float* scratch;               // kadvise_cuda_rms_norm_scratch elements; null when that is 0
};

}  // namespace kadvise

extern "C" {
// Floats of scratch memory that the launch will need with these arguments (`scratch` itself is not read).
using KadviseCudaRmsNormScratch = std::int64_t(const kadvise::RmsNormArgs*);

// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaRmsNorm = const char*(const kadvise::RmsNormArgs*, void* stream);
}
