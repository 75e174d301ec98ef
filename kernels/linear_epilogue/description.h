// A product in the words of cuBLASLt, whose matrices are stored by columns: result^T = weight x^T.
#pragma once

#include "kernels/linear_epilogue/cublaslt_library.h"
#include "kernels/linear_epilogue/launch.h"

namespace kadvise {

struct Description {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t weight, x, z, result;
};

// False where the library knows no such product.
bool describe(const CublasLt&, const LinearArgs&, Description&);

}  // namespace kadvise
