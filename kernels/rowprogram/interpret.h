// A row program by ATen's operators: the reference of its kernels, and what runs wherever none serves.
#pragma once

#include "kernels/rowprogram/program.h"

#include <ATen/core/Tensor.h>

namespace kadvise::rowprogram {

// On any device; gradients go through it. Sizes, dtypes and strides are those of emptyOutputs.
std::vector<at::Tensor> interpret(const Program& program, at::TensorList inputs);

}  // namespace kadvise::rowprogram
