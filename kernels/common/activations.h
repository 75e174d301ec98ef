// The activations by torch's operators.
#pragma once

#include "kernels/common/activation.h"
#include "kernels/common/tensors.h"

#include <c10/util/string_view.h>

namespace kadvise {

// Throws c10::Error, which lists the names there are.
Activation activationNamed(c10::string_view name);

// act(x), rounded to x's dtype once.
Tensor applied(Activation activation, const Tensor& x);

// An activation that an operator may end with.
using MaybeName = std::optional<c10::string_view>;
Activation activationOrNone(const MaybeName& name);
Tensor appliedOrNot(const MaybeName& name, const Tensor& x);

}  // namespace kadvise
