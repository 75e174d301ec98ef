// Linear layers with an epilogue on a GPU, for the operators that offer them.
#pragma once

#include "kernels/common/tensors.h"
#include "kernels/linear_epilogue/launch.h"

namespace kadvise {

// epilogue(linear(x, weight, bias) + z) as a contiguous tensor, or nothing where only torch's own operators
// can serve it: other or mixed dtypes, sizes that do not fit or are empty, settings of torch that cuBLASLt
// would not obey, no library. `z` goes without an epilogue only, and has the result's sizes.
std::optional<Tensor> linearWithEpilogue(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                                         const MaybeTensor& z, Epilogue epilogue);

// linear(x, weight, bias) in float32, where torch takes an algorithm for products with a bias that can be
// half as fast as the one for products without (kernels/linear).
std::optional<Tensor> linearInFloat(const Tensor& x, const Tensor& weight, const MaybeTensor& bias);

// The sizes of x @ weight^T, symbols among them, of x of two dimensions at least and weight of two; an error
// that names the operator where they do not fit. For meta functions.
c10::SymDimVector productSizes(const char* qualifiedName, const Tensor& x, const Tensor& weight);

}  // namespace kadvise
