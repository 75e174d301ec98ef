// A tensor that a few roundings separate from another.
#pragma once

#include <ATen/core/Tensor.h>

namespace kadvise {

// Which roundings: of the values' type, or of what products make of it, which read float32 as TF32.
enum class Rounding { OfType, OfProducts };

// Floating values times 1 + a few roundings, drawn from the default generator, in the same layout; zeros,
// infinities, NaN and what would overflow stay as they are, as does any other tensor.
at::Tensor nudged(const at::Tensor&, Rounding = Rounding::OfType);

}  // namespace kadvise
