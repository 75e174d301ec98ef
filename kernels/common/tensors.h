// What operators ask of their tensors before a kernel may serve them.
#pragma once

#include "kernels/common/abi.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace kadvise {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

inline bool isThere(const MaybeTensor& tensor) { return tensor.has_value() && tensor->defined(); }

// Nothing for a dtype that the kernels do not know.
std::optional<Dtype> kernelDtype(at::ScalarType type);

// Of one dtype, on one device.
bool isLike(const Tensor& tensor, const Tensor& x);

// Equal sizes are the usual case, and a view costs half a microsecond.
Tensor expanded(const Tensor& tensor, at::IntArrayRef sizes);

Tensor contiguousOrNone(const MaybeTensor& vector);
const void* dataOrNull(const Tensor& tensor);

// An uninitialised tensor with exactly the shape, dtype and strides of a pointwise operation's result.
Tensor emptyResult(const Tensor& x);
Tensor emptyResult(const Tensor& x, const Tensor& y);

bool hasSymbols(const Tensor& tensor);

// A meta tensor of the same shape in plain numbers: what is traced then holds for these sizes only.
Tensor withoutSymbols(const Tensor& tensor);
MaybeTensor withoutSymbols(const MaybeTensor& tensor);

}  // namespace kadvise
