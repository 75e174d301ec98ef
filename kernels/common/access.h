// How kernels may reach the rows of a call: by 16 bytes, or not.
#pragma once

#include "kernels/common/abi.h"

#include <cstdint>
#include <span>

namespace kadvise {

enum class Access {
  Aligned,   // every row begins and ends at a multiple of 16 bytes
  Edges,     // rows begin anywhere, but alike in all tensors
  Elements,  // not even
};

// A tensor of rows as a kernel gets it. Null data: an optional tensor that is not there.
struct RowTensor {
  const void* data;
  RowStride stride;
};

inline bool at16Bytes(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// x and result of an operator over images.
template <class Args>
bool areAt16Bytes(const Args& a) {
  return at16Bytes(a.x) && at16Bytes(a.result);
}

// A stride that is never taken counts for nothing.
inline RowStride taken(const RowGrid& grid, const RowStride& stride) {
  return {grid.inner == grid.count ? 0 : stride.outer, grid.inner == 1 ? 0 : stride.inner};
}

// Whether every row of every tensor begins at a multiple of 16 bytes, for kernels to which it does not matter
// where one ends.
inline bool rowsBeginAligned(const RowGrid& grid, Dtype dtype, std::span<const RowTensor> tensors) {
  const int lanes = 16 / bytesOf(dtype);
  for (const RowTensor& t : tensors) {
    const RowStride stride = taken(grid, t.stride);
    const bool rows = stride.outer % lanes == 0 && stride.inner % lanes == 0;
    if (t.data != nullptr && (!at16Bytes(t.data) || !rows)) return false;
  }
  return true;
}

// `vectors` are read along every row (weight, bias); null where there is none.
inline Access accessOf(const RowGrid& grid, std::int64_t length, Dtype dtype,
                       std::span<const RowTensor> tensors, std::span<const void* const> vectors) {
  const int lanes = 16 / bytesOf(dtype);
  const auto offset = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
  const auto fits = [&](std::int64_t outer, std::int64_t inner) {
    return outer % lanes == 0 && inner % lanes == 0;
  };

  bool aligned = length % lanes == 0;
  for (const void* vector : vectors) aligned = aligned && at16Bytes(vector);
  const RowStride first = taken(grid, tensors[0].stride);
  for (const RowTensor& t : tensors) {
    if (t.data == nullptr) continue;
    const RowStride stride = taken(grid, t.stride);
    const bool alike = offset(t.data) == offset(tensors[0].data) &&
                       fits(stride.outer - first.outer, stride.inner - first.inner);
    if (!alike) return Access::Elements;
    aligned = aligned && at16Bytes(t.data) && fits(stride.outer, stride.inner);
  }
  return aligned ? Access::Aligned : Access::Edges;
}

}  // namespace kadvise
