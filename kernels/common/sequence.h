// Tensors [batch, channel, time]: which of the two is dense, and a result that lies alike.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

namespace kadvise {

inline bool hasDenseTimes(const at::Tensor& x) { return x.sym_stride(2) == 1 || !(x.sym_stride(1) == 1); }

// Contiguous, or with its channels dense where x has those.
inline at::Tensor emptySequence(const at::Tensor& x, at::ScalarType dtype) {
  const auto options = x.options().dtype(dtype);
  if (hasDenseTimes(x)) return at::empty_symint(x.sym_sizes(), options);
  const c10::SymInt sizes[] = {x.sym_size(0), x.sym_size(2), x.sym_size(1)};
  return at::empty_symint(sizes, options).transpose(1, 2);
}

// The same values, lying so.
inline at::Tensor asSequence(const at::Tensor& values, const at::Tensor& x) {
  at::Tensor wanted = emptySequence(x, values.scalar_type());
  return values.sym_strides() == wanted.sym_strides() ? values : wanted.copy_(values);
}

}  // namespace kadvise
