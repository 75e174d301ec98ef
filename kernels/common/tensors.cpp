#include "kernels/common/tensors.h"

#include <ATen/TensorIterator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/util/SmallVector.h>

namespace kadvise {

std::optional<Dtype> kernelDtype(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return Dtype::Float;
    case at::kHalf:
      return Dtype::Half;
    case at::kBFloat16:
      return Dtype::BFloat16;
    default:
      return std::nullopt;
  }
}

bool isLike(const Tensor& tensor, const Tensor& x) {
  return tensor.scalar_type() == x.scalar_type() && tensor.device() == x.device();
}

Tensor expanded(const Tensor& tensor, at::IntArrayRef sizes) {
  return tensor.sizes() == sizes ? tensor : tensor.expand(sizes);
}

Tensor contiguousOrNone(const MaybeTensor& vector) {
  return isThere(vector) ? vector->contiguous() : Tensor();
}

const void* dataOrNull(const Tensor& tensor) { return tensor.defined() ? tensor.const_data_ptr() : nullptr; }

// Where tensors are not contiguous, torch's own machinery decides.

Tensor emptyResult(const Tensor& x) {
  if (x.is_contiguous()) return at::empty(x.sizes(), x.options());
  if (x.is_non_overlapping_and_dense()) return at::empty_strided(x.sizes(), x.strides(), x.options());
  auto iterator = at::TensorIteratorConfig().add_owned_output(Tensor()).add_owned_const_input(x).build();
  return iterator.output();
}

Tensor emptyResult(const Tensor& x, const Tensor& y) {
  if (x.is_contiguous() && y.is_contiguous() && x.sizes() == y.sizes() && isLike(y, x)) {
    return at::empty(x.sizes(), x.options());
  }
  auto iterator = at::TensorIteratorConfig()
                      .add_owned_output(Tensor())
                      .add_owned_const_input(x)
                      .add_owned_const_input(y)
                      .allow_cpu_scalars(true)
                      .promote_inputs_to_common_dtype(true)
                      .build();
  return iterator.output();
}

bool hasSymbols(const Tensor& tensor) {
  return tensor.defined() && tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

Tensor withoutSymbols(const Tensor& tensor) {
  if (!hasSymbols(tensor)) return tensor;
  const auto numbers = [](c10::SymIntArrayRef symbols) {
    c10::SmallVector<std::int64_t, 6> values;
    for (const c10::SymInt& symbol : symbols) values.push_back(symbol.guard_int(__FILE__, __LINE__));
    return values;
  };
  return at::empty_strided(numbers(tensor.sym_sizes()), numbers(tensor.sym_strides()), tensor.options());
}

MaybeTensor withoutSymbols(const MaybeTensor& tensor) {
  return isThere(tensor) ? MaybeTensor(withoutSymbols(*tensor)) : MaybeTensor();
}

}  // namespace kadvise
