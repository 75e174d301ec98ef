// What a tensor of the user's batch is for, as far as its values tell: other values may only be drawn where
// they are other data and not another question.
#pragma once

#include <ATen/core/Tensor.h>

namespace kadvise {

enum class Role {
  Fixed,         // scalars, single elements, 0/1 masks and constants of a floating dtype: keep their values
  Signed,        // floating values of both signs
  Positive,      // floating values, none below zero: variances, probabilities, values under a root
  AdditiveMask,  // floating values that hold infinities, NaN or values below -1e4
  Integer,
  Bool
};

Role roleOf(const at::Tensor&);
inline bool isDrawn(Role role) { return role == Role::Signed || role == Role::Positive; }

}  // namespace kadvise
