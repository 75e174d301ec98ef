// Tensors seen as rows: which of them a row kernel can walk as they lie in memory.
#pragma once

#include "kernels/common/abi.h"

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>

namespace kadvise {

// The rows of up to kMost tensors of equal shape, walked together.
struct Rows {
  static constexpr int kMost = 4;
  RowGrid grid;
  std::int64_t length;      // elements of a row
  RowStride stride[kMost];  // of each tensor, in the order given
};

// The last `rowDims` dimensions become the row, the others the grid. Nothing when a row is not contiguous in
// one of the tensors, or when the other dimensions do not collapse into two that serve all tensors; tensors
// must not be empty. Dimensions of size 1 have no stride; a stride of 0 (broadcasting) is a stride like any
// other.
std::optional<Rows> rowsOf(std::initializer_list<const at::Tensor*> tensors, std::int64_t rowDims);

}  // namespace kadvise
