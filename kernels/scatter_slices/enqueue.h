// What the operators of this folder have in common: parts that are described, written to a result.
#pragma once

#include "kernels/common/tensors.h"
#include "kernels/scatter_slices/launch.h"

#include <c10/core/Scalar.h>

namespace kadvise {

// Of a contiguous result on the current CUDA device, with the args' parts described. What no part covers is
// `rest`, converted to the result's dtype. Throws where the kernel cannot be started, or rest does not fit.
void enqueueScatter(ScatterArgs&, const at::Scalar& rest, Tensor& result);

}  // namespace kadvise
