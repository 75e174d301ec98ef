// Pooling over the usual square windows, known when the kernel is compiled: which threads there are, and what
// they count.
#pragma once

#include "kernels/common/access.h"
#include "kernels/pool/window.h"

namespace kadvise {

// Along rows and columns, and of volumes along the depth, too.
template <int kKernel_, int kStride_, int kPad_>
struct Square {
  static constexpr int kKernel = kKernel_, kStride = kStride_, kPad = kPad_;
  static constexpr int kKept = kKernel - kStride;  // that a window shares with the one before
  static_assert(kKept >= 0);
};

// Windows along the depth: none, those of a cube, or counted when the kernel runs.
enum class PoolDepth { One, Cube, Any };

// What a thread has of the result: rows and columns of one channel, where columns are neighbours in memory.
// Of a cube the thread goes on to the layers behind. kInPieces: it is known that rows are whole pieces.
template <class Square_, int kRows_, int kColumns_, PoolDepth kDepth_, bool kInPieces_>
struct ColumnForm : Square_ {
  using Of = Square_;
  static constexpr int kChannels = 1, kRows = kRows_, kColumns = kColumns_;
  static constexpr PoolDepth kDepth = kDepth_;
  static constexpr bool kInPieces = kInPieces_;
  static constexpr int kRowsOfX = (kRows - 1) * Of::kStride + Of::kKernel;
  static constexpr int kBody = kColumns * Of::kStride;  // columns of x that begin where the result's do
  static constexpr int kRight =
      (kColumns - 1) * Of::kStride + Of::kKernel - Of::kPad - kBody;  // and behind them
  static_assert(Of::kPad <= 1 && kRight >= 0 && kRight <= 1);
};

// Rows of a few channels, where channels are neighbours in memory, and kColumns at a time: the thread goes on
// to the columns behind.
template <class Square_, int kChannels_, int kRows_, int kColumns_, PoolDepth kDepth_>
struct ChannelForm : Square_ {
  using Of = Square_;
  static constexpr int kChannels = kChannels_, kRows = kRows_, kColumns = kColumns_;
  static constexpr int kRowsOfX = (kRows - 1) * Of::kStride + Of::kKernel;
  static constexpr int kFresh = kColumns * Of::kStride;  // columns of x at a time
  static constexpr PoolDepth kDepth = kDepth_;
};

// What an average multiplies the sums of its windows by.
struct PoolAverage {
  std::int32_t elements;  // of a window that meets no edge
  float inverse;          // of the divisor, or of these elements
  bool countsAlike;       // every window: by `inverse`

  // Of a window of so many elements, where not all count alike.
  KADVISE_HOST_DEVICE float inverseOf(int counted) const {
    return counted == elements ? inverse : 1.0f / static_cast<float>(counted);
  }
};

// Threads, numbered along the memory of the result. All counts are of 31 bits.
struct SquareGrid {
  Divider lanes, strips, rows, depth;  // lanes: of neighbouring channels
  std::int64_t threads;
  std::int32_t run;  // layers, or columns, that a thread has one behind the other
  PoolAverage average;
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

inline PoolAverage averageOf(const PoolArgs& a) {
  const auto isAlike = [&](const PoolDim& d) {
    return poolSpan(d, 0, a.countsPadding).count == d.kernel &&
           poolSpan(d, static_cast<int>(d.resultSize) - 1, a.countsPadding).count == d.kernel;
  };
  PoolAverage out;
  out.elements = a.depth.kernel * a.rows.kernel * a.columns.kernel;
  out.inverse = 1.0f / static_cast<float>(a.divisor != 0 ? a.divisor : out.elements);
  out.countsAlike = a.divisor != 0 || (isAlike(a.depth) && isAlike(a.rows) && isAlike(a.columns));
  return out;
}

template <class Form>
bool isInPieces(const PoolArgs& a) {
  return areAt16Bytes(a) && a.columns.size % Form::kBody == 0 && a.columns.resultSize % Form::kColumns == 0;
}

// Layers of the result that a thread has one behind the other: a few, so that layers which windows share are
// read once, where there are enough threads then.
template <class Form>
int columnRun(const PoolArgs& a, std::int64_t enoughThreads) {
  constexpr std::int64_t kMost = 4;
  if (Form::kDepth != PoolDepth::Cube || Form::kKept == 0) return 1;
  const std::int64_t threads =
      a.images * a.channels * a.rows.resultSize * a.columns.resultSize / Form::kColumns;
  std::int64_t run = kMost;
  while (run > 1 && threads * a.depth.resultSize / run < enoughThreads) run /= 2;
  return static_cast<int>(ceilDiv(a.depth.resultSize, ceilDiv(a.depth.resultSize, run)));
}

template <class Form>
SquareGrid columnGrid(const PoolArgs& a, int run) {
  const std::int64_t strips = ceilDiv(a.columns.resultSize, Form::kColumns),
                     rows = ceilDiv(a.rows.resultSize, Form::kRows), depth = ceilDiv(a.depth.resultSize, run);
  SquareGrid g{};
  g.average = averageOf(a);
  g.strips = Divider(strips);
  g.rows = Divider(rows);
  g.depth = Divider(depth);
  g.threads = a.images * a.channels * strips * rows * depth;
  g.run = run;
  g.inPieces = isInPieces<Form>(a);
  return g;
}

template <class Form>
SquareGrid channelGrid(const PoolArgs& a, int run) {
  const std::int64_t lanes = a.channels / Form::kChannels, strips = ceilDiv(a.columns.resultSize, run),
                     rows = ceilDiv(a.rows.resultSize, Form::kRows);
  SquareGrid g{};
  g.average = averageOf(a);
  g.lanes = Divider(lanes);
  g.strips = Divider(strips);
  g.rows = Divider(rows);
  g.depth = Divider(a.depth.resultSize);
  g.threads = a.images * lanes * strips * rows * a.depth.resultSize;
  g.run = run;
  return g;
}

// Columns of the result that a thread has one behind the other: of volumes the fewest by which all threads
// run at once, up to kMost. `atOnce`: threads that do.
template <PoolKind kKind, class Form>
int channelRun(const PoolArgs& a, std::int64_t atOnce) {
  constexpr int kMost = 8, kUsual = 4;
  if constexpr (Form::kKept == 0) {
    return 1;
  } else if constexpr (Form::kDepth == PoolDepth::One) {
    return kKind == PoolKind::Max && Form::kColumns == 1 ? 2 : kUsual;
  } else {
    for (int run = 2; run <= kMost; ++run)
      if (channelGrid<Form>(a, run).threads <= atOnce) return run;
    return kUsual;
  }
}

// Of 31 bits; `n` becomes the quotient.
KADVISE_HOST_DEVICE int splitSmall(std::uint32_t& n, const Divider& by) {
  const std::uint32_t quotient = by.quotientOfSmall(n);
  const int rest = static_cast<int>(n - quotient * static_cast<std::uint32_t>(by.divisor));
  n = quotient;
  return rest;
}

}  // namespace kadvise
