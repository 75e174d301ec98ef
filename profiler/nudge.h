// A tensor that a few roundings separate from another.
#pragma once

#include <ATen/core/Tensor.h>

namespace kadvise {

// Floating values times 1 + a few roundings of their type, drawn from the default generator, in the same
// layout; zeros, infinities, NaN and what would overflow stay as they are, as does any other tensor.
at::Tensor nudged(const at::Tensor&);

}  // namespace kadvise
