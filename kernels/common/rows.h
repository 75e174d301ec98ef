// Tensors seen as rows: which of them a row kernel can walk as they lie in memory.
#pragma once

#include "kernels/common/abi.h"

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

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

// One dimension of the grid before the rows: its size, and its stride in each tensor.
struct GridDim {
  std::int64_t size = 1;
  std::int64_t stride[Rows::kMost] = {};
};
using Grid = c10::SmallVector<GridDim, 4>;

// The dimensions before the last `rowDims`, innermost first, without those of size 1.
Grid gridOf(std::initializer_list<const at::Tensor*> tensors, std::int64_t rowDims);

// The same with neighbours joined that all `tensors` tensors step over without a gap.
Grid joined(const Grid& grid, int tensors);

// The last `rowDims` dimensions become the row, the others the grid. Nothing when a row is not contiguous in
// one of the tensors, or when the other dimensions do not collapse into two that serve all tensors; tensors
// must not be empty. Dimensions of size 1 have no stride; a stride of 0 (broadcasting) is a stride like any
// other.
std::optional<Rows> rowsOf(std::initializer_list<const at::Tensor*> tensors, std::int64_t rowDims);

// The same for operations that have no rows of their own: as many of the last dimensions as all tensors hold
// without a gap become the row. Dense tensors that are laid out alike are one row, in whatever order.
std::optional<Rows> longestRows(std::initializer_list<const at::Tensor*> tensors);

}  // namespace kadvise
