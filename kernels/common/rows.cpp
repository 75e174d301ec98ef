#include "kernels/common/rows.h"

#include <c10/util/SmallVector.h>

#include <algorithm>

namespace kadvise {
namespace {

bool rowIsContiguous(const at::Tensor& tensor, std::int64_t firstDim) {
  std::int64_t expected = 1;
  for (std::int64_t d = tensor.dim() - 1; d >= firstDim; --d) {
    if (tensor.size(d) != 1 && tensor.stride(d) != expected) return false;
    expected *= tensor.size(d);
  }
  return true;
}

// One dimension of the grid: its size, and its stride in each tensor.
struct GridDim {
  std::int64_t size = 1;
  std::int64_t stride[Rows::kMost] = {};
};

// Whether `outer` steps over `inner` without a gap in every tensor, so that both are one dimension.
bool follows(const GridDim& outer, const GridDim& inner, int tensors) {
  for (int t = 0; t < tensors; ++t) {
    if (outer.stride[t] != inner.stride[t] * inner.size) return false;
  }
  return true;
}

}  // namespace

std::optional<Rows> rowsOf(std::initializer_list<const at::Tensor*> tensors, std::int64_t rowDims) {
  const at::Tensor& shape = **tensors.begin();
  const std::int64_t gridDims = shape.dim() - rowDims;
  const int count = static_cast<int>(tensors.size());
  for (const at::Tensor* tensor : tensors) {
    if (!rowIsContiguous(*tensor, gridDims)) return std::nullopt;
  }

  c10::SmallVector<GridDim, 4> dims;  // innermost first
  for (std::int64_t d = gridDims - 1; d >= 0; --d) {
    if (shape.size(d) == 1) continue;
    GridDim dim{shape.size(d), {}};
    for (int t = 0; t < count; ++t) dim.stride[t] = tensors.begin()[t]->stride(d);
    if (!dims.empty() && follows(dim, dims.back(), count)) {
      dims.back().size *= dim.size;
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.size() > 2) return std::nullopt;
  dims.resize(2);

  Rows rows{{dims[0].size * dims[1].size, dims[0].size}, 1, {}};
  for (std::int64_t d = gridDims; d < shape.dim(); ++d) rows.length *= shape.size(d);
  for (int t = 0; t < count; ++t) rows.stride[t] = {dims[1].stride[t], dims[0].stride[t]};
  return rows;
}

}  // namespace kadvise
