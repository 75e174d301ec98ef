// Pooling over the usual square windows, known when the kernel is compiled: which threads there are, and what
// they count and add up.
#pragma once

#include "kernels/pool/window.h"

namespace kadvise {

// Kernel, stride and padding along rows and columns; what a thread has of the result.
template <int kKernel_, int kStride_, int kPad_, int kChannels_, int kRows_, int kColumns_>
struct SquareForm {
  static constexpr int kKernel = kKernel_, kStride = kStride_, kPad = kPad_;
  static constexpr int kChannels = kChannels_;  // neighbours in memory, or 1: columns are
  static constexpr int kRows = kRows_, kColumns = kColumns_;
  static constexpr int kRowsOfX = (kRows - 1) * kStride + kKernel;
  static constexpr int kColumnsOfX = (kColumns - 1) * kStride + kKernel;
  static constexpr int kBody = kColumns * kStride;           // columns of x that begin where the result's do
  static constexpr int kRight = kColumnsOfX - kPad - kBody;  // columns of x behind the body
  static_assert(kPad <= 1 && kRight >= 0 && kRight <= 1);
};

// Threads, numbered along the memory of the result. All counts are of 31 bits.
struct SquareGrid {
  Divider lanes, strips, rows, depth;  // lanes: of neighbouring channels; 1 where columns are neighbours
  std::int64_t threads;
  float inverse;  // of the divisor, or of the elements of a window that meets no edge
  bool inPieces;  // rows of x and of the result are whole pieces of what a thread has
};

// Whether the counts are of 31 bits.
inline bool isSmallPool(const PoolArgs& a) {
  const auto elements = [&](std::int64_t depth, std::int64_t rows, std::int64_t columns) {
    return a.images * a.channels * depth * rows * columns;
  };
  return elements(a.depth.size, a.rows.size, a.columns.size) <= INT32_MAX &&
         elements(a.depth.resultSize, a.rows.resultSize, a.columns.resultSize) <= INT32_MAX;
}

template <class Form>
SquareGrid squareGrid(const PoolArgs& a, bool aligned) {
  const std::int64_t strips = poolCeil(a.columns.resultSize, Form::kColumns);
  const std::int64_t rows = poolCeil(a.rows.resultSize, Form::kRows), lanes = a.channels / Form::kChannels;
  SquareGrid g{};
  g.lanes = Divider(Form::kChannels > 1 ? lanes : 1);
  g.strips = Divider(strips);
  g.rows = Divider(rows);
  g.depth = Divider(a.depth.resultSize);
  g.threads = a.images * lanes * strips * rows * a.depth.resultSize;
  const std::int64_t elements = std::int64_t{a.depth.kernel} * Form::kKernel * Form::kKernel;
  g.inverse = 1.0f / static_cast<float>(a.divisor != 0 ? a.divisor : elements);
  g.inPieces = aligned && a.columns.size % Form::kBody == 0 && a.columns.resultSize % Form::kColumns == 0;
  return g;
}

// Of 31 bits, as Divider::quotient does.
KADVISE_HOST_DEVICE std::uint32_t quotient32(std::uint32_t n, const Divider& by) {
  const auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * by.multiplier >> 32);
  return (high + n) >> by.shift;
}

// What windows find in kLanes neighbouring elements.
template <PoolKind kKind, int kLanes, class Memory>
struct PoolTotal;

template <int kLanes, class Memory>
struct PoolTotal<PoolKind::Max, kLanes, Memory> {  // as elements: none of them is rounded
  typename Memory::template Raw<kLanes> most;

  KADVISE_HOST_DEVICE void clear(const Memory& memory) { most = memory.template filled<kLanes>(-HUGE_VALF); }
  KADVISE_HOST_DEVICE void take(const Memory& memory, const typename Memory::template Raw<kLanes>& raw) {
    most = memory.template larger<kLanes>(most, raw);
  }
  KADVISE_HOST_DEVICE void widen(const Memory& memory, float (&v)[kLanes]) const {
    memory.template widen<kLanes>(most, v);
  }
};

template <int kLanes, class Memory>
struct PoolTotal<PoolKind::Average, kLanes, Memory> {
  float sum[kLanes];

  KADVISE_HOST_DEVICE void clear(const Memory&) {
    for (int j = 0; j < kLanes; ++j) sum[j] = 0;
  }
  KADVISE_HOST_DEVICE void take(const Memory& memory, const typename Memory::template Raw<kLanes>& raw) {
    float v[kLanes];
    memory.template widen<kLanes>(raw, v);
#pragma unroll
    for (int j = 0; j < kLanes; ++j) sum[j] += v[j];
  }
  KADVISE_HOST_DEVICE void widen(const Memory&, float (&v)[kLanes]) const {
#pragma unroll
    for (int j = 0; j < kLanes; ++j) v[j] = sum[j];
  }
};

// Elements of a window along one dimension, and the first of them.
struct PoolSpan {
  int first, count;
};
KADVISE_HOST_DEVICE PoolSpan poolSpan(const PoolDim& d, int at, bool countsPadding) {
  const int begin = at * d.stride - d.pad, size = static_cast<int>(d.size);
  const int end = begin + d.kernel;
  const int most = countsPadding ? size + d.pad : size;
  const int first = begin < 0 ? 0 : begin;
  return {first, (end < most ? end : most) - (countsPadding ? begin : first)};
}

}  // namespace kadvise
