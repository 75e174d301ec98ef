// The operators of row programs by those of ATen.
#pragma once

#include "kernels/rowprogram/program.h"

#include <ATen/core/Tensor.h>

#include <span>

namespace kadvise::rowprogram {

// Operands are of the statement's operandType, and tensors without dimensions where the text has numbers.
at::Tensor computed(Pointwise op, std::span<const at::Tensor> operands);

// Dimensions stay, with size 1.
at::Tensor reduced(Reduction op, const at::Tensor& value, at::IntArrayRef dims);

}  // namespace kadvise::rowprogram
