// The problem that a call is.
#pragma once

#include "kernels/rowprogram/problem.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace kadvise::rowprogram {

// `outputs` are those of emptyOutputs. Meta tensors do, too: their memory is taken to be aligned. Nothing,
// and the reason, where only the interpreter serves the call: nothing to compute, float64, reductions or
// outputs over less than the whole iteration space.
std::optional<Problem> problemOf(const Program& program, at::TensorList inputs, at::TensorList outputs,
                                 const char** whyNot = nullptr);

// A tensor of no dimensions that ATen, too, reads on the host where the others lie on a device: kernels are
// started with its value.
bool isNumberOfHost(const at::Tensor&, at::Device);

}  // namespace kadvise::rowprogram
