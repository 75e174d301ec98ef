// The problem that a call is.
#pragma once

#include "kernels/rowprogram/problem.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace kadvise::rowprogram {

// `outputs` are those of emptyOutputs. Meta tensors do, too: their memory is taken to be aligned. Nothing,
// and the reason, where only the interpreter serves the call: nothing to compute, float64, a number on the
// CPU, reductions or outputs over less than the whole iteration space.
std::optional<Problem> problemOf(const Program& program, at::TensorList inputs, at::TensorList outputs,
                                 const char** whyNot = nullptr);

}  // namespace kadvise::rowprogram
