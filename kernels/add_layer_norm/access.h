// How the kernels may reach the rows of a call: by 16 bytes, or not.
#pragma once

#include "kernels/add_layer_norm/launch.h"

#include <cstdint>

namespace kadvise {

enum class Access {
  Aligned,   // every row begins and ends at a multiple of 16 bytes
  Edges,     // rows begin anywhere, but alike in all four tensors
  Elements,  // not even
};

// A stride that is never taken counts for nothing.
inline RowStride taken(const RowGrid& grid, const RowStride& stride) {
  return {grid.inner == grid.count ? 0 : stride.outer, grid.inner == 1 ? 0 : stride.inner};
}

inline Access accessOf(const AddLayerNormArgs& a) {
  struct Tensor {
    const void* data;
    RowStride stride;
  };
  const Tensor tensors[] = {{a.x, taken(a.grid, a.xStride)},
                            {a.residual, taken(a.grid, a.residualStride)},
                            {a.sum, taken(a.grid, a.sumStride)},
                            {a.normalized, taken(a.grid, {a.grid.inner * a.length, a.length})}};
  const Tensor& x = tensors[0];
  const int lanes = 16 / bytesOf(a.dtype);
  const auto offset = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
  const auto fits = [&](std::int64_t outer, std::int64_t inner) {
    return outer % lanes == 0 && inner % lanes == 0;
  };

  bool aligned = a.length % lanes == 0 && offset(a.weight) == 0 && offset(a.bias) == 0;
  for (const Tensor& t : tensors) {
    const bool alike = offset(t.data) == offset(x.data) &&
                       fits(t.stride.outer - x.stride.outer, t.stride.inner - x.stride.inner);
    if (!alike) return Access::Elements;
    aligned = aligned && offset(t.data) == 0 && fits(t.stride.outer, t.stride.inner);
  }
  return aligned ? Access::Aligned : Access::Edges;
}

}  // namespace kadvise
