// The settings of convolutions of signals [N, C, L] and images [N, C, H, W], as torch takes them: one number
// for all dimensions, or one for each; of padding, where an operator says so, one for each side.
#pragma once

#include "kernels/common/tensors.h"

#include <c10/core/SymIntArrayRef.h>

namespace kadvise {

struct ConvolutionSettings {
  at::IntArrayRef stride, padding, dilation;
  // padding may have two numbers for each dimension: zeros in front of all of them, then those behind.
  bool hasSides = false;

  // Of dimension 2 + dim.
  static std::int64_t along(at::IntArrayRef values, std::int64_t dim) {
    return values.size() == 1 ? values[0] : values.at(static_cast<std::size_t>(dim));
  }
  bool sidesDiffer(std::int64_t dims) const {
    return hasSides && static_cast<std::int64_t>(padding.size()) == 2 * dims;
  }
  // Rows, columns or samples of zeros on both sides of dimension 2 + dim, of an x of so many.
  std::int64_t paddedBy(std::int64_t dim, std::int64_t dims) const {
    return sidesDiffer(dims) ? along(padding, dim) + along(padding, dims + dim) : 2 * along(padding, dim);
  }
};

// Of the result; refused in the operator's name where there is no such convolution.
c10::SymDimVector checkedResultSizes(const char* name, const Tensor& x, const Tensor& weight,
                                     const ConvolutionSettings& settings);

// The same for kernels: of tensors of a dtype that they know, weight and bias of `weights`, on a GPU, a bias
// for each result, and numbers that 32 bits count. Nothing where only torch has an answer, or the words.
std::optional<c10::SymDimVector> sizesForKernels(const Tensor& x, const Tensor& weight,
                                                 const MaybeTensor& bias, const ConvolutionSettings& settings,
                                                 at::ScalarType weights);

}  // namespace kadvise
