// Originals that are wrong themselves, next to their float64 reference: they overflow, cancel to nothing, or
// decide otherwise. There is no right answer then that a candidate could be held to.
#pragma once

#include <ATen/core/Tensor.h>

namespace kadvise {

// x: the original's output, y: the candidate's, y64: the reference's, all of one size.
double relativeError(const at::Tensor& x, const at::Tensor& y64);  // of the output's scale
bool isWrongItself(const at::Tensor& x, const at::Tensor& y64);

// Whoever does as badly does no worse.
bool isWorse(const at::Tensor& x, const at::Tensor& y, const at::Tensor& y64);

// Of calls that begin with what another one left, the reference may have lost the same as the candidate.
bool mayBothBeWrong(const at::Tensor& x, const at::Tensor& y, const at::Tensor& y64);

// The original's own values, as far as roundings go: what float64 decides otherwise (an index that is made of
// rounded positions) is then no question.
bool isAsTheOriginal(const at::Tensor& x, const at::Tensor& y);

}  // namespace kadvise
