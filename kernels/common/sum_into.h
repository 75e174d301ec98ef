// Sums of a product and z that were written in place: `product += z`, or `z += product`.
#pragma once

#include "kernels/common/tensors.h"

#include <string_view>

namespace kadvise {

// Which of the two the sum was written into: "product", "z", or nothing, where it is a new tensor.
using MaybeInto = std::optional<std::string_view>;

// A tensor that is written to keeps its sizes: where the other term is larger, the sum in place is an error.
void checkSumInto(const char* name, const MaybeInto& into, const Tensor& product, const Tensor& z);

}  // namespace kadvise
