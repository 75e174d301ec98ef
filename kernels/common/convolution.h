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

// Of the result; refused in the operator's name where there is no such convolution.
c10::SymDimVector checkedResultSizes(const char* name, const Tensor& x, const Tensor& weight,
                                     const ConvolutionSettings& settings);

// The same for kernels: of tensors of one dtype that they know, on a GPU, a bias for each result, and numbers
// that 32 bits count. Nothing where only torch has an answer, or the words.
std::optional<c10::SymDimVector> sizesForKernels(const Tensor& x, const Tensor& weight,
                                                 const MaybeTensor& bias,
                                                 const ConvolutionSettings& settings);

}  // namespace kadvise
