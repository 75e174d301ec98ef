// The border between the torch side (op.cpp) and the CUDA side of group_norm.
#pragma once

#include "kernels/common/abi.h"
#include "kernels/common/activation.h"

namespace kadvise {

// result = activation((y - mean) / sqrt(var + eps) * weight + bias), of y = x + shift, over each group of
// channels of each image, in float, rounded to dtype once. Pointers are of the current device and aligned to
// the dtype at least.
struct GroupNormArgs {
  const void* x;
  const void* weight;  // of each channel; null: 1
  const void* bias;    // of each channel; null: 0
  const void* shift;   // of each channel, or of each channel of each image; null: 0; only of channels last
  void* result;
  std::int64_t images, channels, groups;
  std::int64_t pixels;  // of each channel; at least 1
  bool channelsLast;    // x and result are dense: [images, pixels, channels], or [images, channels, pixels]
  bool shiftsAlike;     // all images
  float eps;
  Dtype dtype;  // of all tensors
  Activation activation;
  float slope;    // of Activation::LeakyRelu
  void* scratch;  // kadvise_cuda_group_norm_scratch bytes; null when that is 0
};

}  // namespace kadvise

extern "C" {
// Bytes of scratch memory that the launch will need with these arguments (`scratch` itself is not read); -1
// where there is no kernel for them.
using KadviseCudaGroupNormScratch = std::int64_t(const kadvise::GroupNormArgs*);

// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. Null, or a sentence saying what failed.
using KadviseCudaGroupNorm = const char*(const kadvise::GroupNormArgs*, void* stream);
}
