// The settings of convolutions of signals [N, C, L] and images [N, C, H, W], as torch takes them: one number
// for all dimensions, or one for each.
#pragma once

#include "kernels/common/tensors.h"

#include <c10/core/SymIntArrayRef.h>

namespace kadvise {

struct ConvolutionSettings {
  at::IntArrayRef stride, padding, dilation;

  // Of dimension 2 + dim.
  static std::int64_t along(at::IntArrayRef values, std::int64_t dim) {
    return values.size() == 1 ? values[0] : values.at(static_cast<std::size_t>(dim));
  }
};

// As many as x has dimensions, and such as a convolution may have.
bool fits(const ConvolutionSettings& settings, const Tensor& x);

// Below 1 where the kernel is larger than x.
c10::SymDimVector resultSizes(const Tensor& x, const Tensor& weight, const ConvolutionSettings& settings);

// The same, refused in the operator's name where there is no such convolution.
c10::SymDimVector checkedResultSizes(const char* name, const Tensor& x, const Tensor& weight,
                                     const ConvolutionSettings& settings);

// Whether 32 bits count its rows and columns, with room for the edges: those of 2^12 taps that are 2^17
// apart, and as much padding.
bool isCounted(const Tensor& x, const ConvolutionSettings& settings);

// On a GPU, of one dtype that the kernels know, a bias for each result, and counted.
bool isForKernels(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                  const ConvolutionSettings& settings);

}  // namespace kadvise
