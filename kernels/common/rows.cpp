#include "kernels/common/rows.h"

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

// Whether `outer` steps over `inner` without a gap in every tensor, so that both are one dimension.
bool follows(const GridDim& outer, const GridDim& inner, int tensors) {
  for (int t = 0; t < tensors; ++t) {
    if (outer.stride[t] != inner.stride[t] * inner.size) return false;
  }
  return true;
}

}  // namespace

Grid gridOf(std::initializer_list<const at::Tensor*> tensors, std::int64_t rowDims) {
  const at::Tensor& shape = **tensors.begin();
  Grid grid;
  for (std::int64_t d = shape.dim() - rowDims - 1; d >= 0; --d) {
    if (shape.size(d) == 1) continue;
    GridDim dim{shape.size(d), {}};
    for (std::size_t t = 0; t < tensors.size(); ++t) dim.stride[t] = tensors.begin()[t]->stride(d);
    grid.push_back(dim);
  }
  return grid;
}

Grid joined(const Grid& grid, int tensors) {
  Grid result;
  for (const GridDim& dim : grid) {
    if (!result.empty() && follows(dim, result.back(), tensors)) {
      result.back().size *= dim.size;
    } else {
      result.push_back(dim);
    }
  }
  return result;
}

std::optional<Rows> rowsOf(std::initializer_list<const at::Tensor*> tensors, std::int64_t rowDims) {
  const at::Tensor& shape = **tensors.begin();
  const std::int64_t gridDims = shape.dim() - rowDims;
  const int count = static_cast<int>(tensors.size());
  for (const at::Tensor* tensor : tensors) {
    if (!rowIsContiguous(*tensor, gridDims)) return std::nullopt;
  }

  Grid dims = joined(gridOf(tensors, rowDims), count);
  if (dims.size() > 2) return std::nullopt;
  dims.resize(2);

  Rows rows{{dims[0].size * dims[1].size, dims[0].size}, 1, {}};
  for (std::int64_t d = gridDims; d < shape.dim(); ++d) rows.length *= shape.size(d);
  for (int t = 0; t < count; ++t) rows.stride[t] = {dims[1].stride[t], dims[0].stride[t]};
  return rows;
}

std::optional<Rows> longestRows(std::initializer_list<const at::Tensor*> tensors) {
  const at::Tensor& first = **tensors.begin();
  bool alike = first.is_non_overlapping_and_dense();
  for (const at::Tensor* tensor : tensors) alike = alike && tensor->strides() == first.strides();
  if (alike) return Rows{{1, 1}, first.numel(), {}};
  for (std::int64_t rowDims = first.dim(); rowDims > 0; --rowDims) {
    if (auto rows = rowsOf(tensors, rowDims)) return rows;
  }
  return std::nullopt;
}

}  // namespace kadvise
