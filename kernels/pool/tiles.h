// What the threads of a block do where windows are counted when the kernel runs: they add up the rows of
// windows, column by column of x, leave that in shared memory, and add up columns there. So a window of many
// rows and columns costs their sum, not their product.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/pool/square.h"
#include "kernels/pool/tile_grid.h"

namespace kadvise {

template <PoolKind kKind, class Form, class Memory>
class TileThread {
 public:
  using T = typename Memory::Element;

  // `shared`: grid.sharedElements() numbers, of the block.
  KADVISE_HOST_DEVICE TileThread(const PoolArgs& a, const TileGrid& g, std::uint32_t block, int thread,
                                 float* shared, const Memory& memory)
      : a_(a), g_(g), memory_(memory), shared_(shared), thread_(thread) {
    channel_ = Form::kByChannels ? splitSmall(block, g.chunks) * g.channels : 0;
    column_ = splitSmall(block, g.strips) * g.columns;
    line_ = static_cast<int>(block) * g.lines;
    x_ = column_ * a.columns.stride - a.columns.pad;
    lead_ =
        Form::kByChannels ? 0 : (x_ % kLanes + kLanes) % kLanes;  // so that pieces are whole ones of memory
    step_ = Form::kByChannels ? static_cast<int>(a.channels) : 1;
  }

  // All threads of the block, then all of them rowsOfSums.
  KADVISE_HOST_DEVICE void columnsOfX() const {
    const int count = g_.lines * static_cast<int>(g_.pieces.divisor);
    for (int i = thread_; i < count; i += kTileBlock) {
      auto n = static_cast<std::uint32_t>(i);
      const int piece = splitSmall(n, g_.pieces);
      const auto line = static_cast<int>(n);
      if (line_ + line >= g_.allLines) return;
      float v[kLanes];
      columnOf(line_ + line, piece).widen(memory_, v);
      keep(line, piece * kLanes, v);
    }
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void rowsOfSums(Finish finish) const {
    const int count = g_.lines * static_cast<int>(g_.places.divisor);
    for (int i = thread_; i < count; i += kTileBlock) {
      auto n = static_cast<std::uint32_t>(i);
      int place = splitSmall(n, g_.places);
      const auto line = static_cast<int>(n);
      if (line_ + line >= g_.allLines) return;
      const int channel = channelOf(place);
      if constexpr (Form::kByChannels) place >>= g_.shift;
      if (column_ + place < a_.columns.resultSize && (!Form::kByChannels || channel_ + channel < a_.channels))
        write(line, place, channel, finish);
    }
  }

 private:
  static constexpr int kLanes = Form::kLanes;
  static constexpr int kAtOnce = Form::kByChannels ? kLanes : 1;  // neighbours of the result
  static constexpr float kNothing = kPoolNothing<kKind>;
  using Total = PoolTotal<kKind, kLanes, Memory>;

  // A line of the result, as numbers of its dimensions.
  struct Line {
    int row, depth, plane;
  };
  KADVISE_HOST_DEVICE Line lineOf(int line) const {
    auto n = static_cast<std::uint32_t>(line);
    const int row = splitSmall(n, g_.rows), depth = splitSmall(n, g_.depth);
    return {row, depth, static_cast<int>(n)};
  }

  // The first of a piece, of those of the block.
  KADVISE_HOST_DEVICE int channelOf(int piece) const {
    return Form::kByChannels ? (piece & ((1 << g_.shift) - 1)) * kLanes : 0;
  }

  // ---- x

  // What the rows of the windows of a line find in one piece of x.
  KADVISE_HOST_DEVICE Total columnOf(int line, int piece) const {
    const Line at = lineOf(line);
    const int column = x_ - lead_ + (Form::kByChannels ? piece >> g_.shift : piece * kLanes);
    const int channel = channel_ + channelOf(piece);
    const bool isThere = static_cast<unsigned>(column) < static_cast<unsigned>(a_.columns.size) &&
                         (!Form::kByChannels || channel < a_.channels);
    const int rows = static_cast<int>(a_.rows.size), rowStep = static_cast<int>(a_.columns.size) * step_;
    const int top = at.row * a_.rows.stride - a_.rows.pad, front = at.depth * a_.depth.stride - a_.depth.pad;
    const T* const plane = static_cast<const T*>(a_.x) + at.plane * g_.plane + column * step_ + channel;
    Total total = Total::of(memory_, memory_.template filled<kLanes>(kNothing));
    for (int k = 0; k < a_.depth.kernel; ++k) {
      const int z = front + k * a_.depth.dilation;
      const bool isLayer = isThere && static_cast<unsigned>(z) < static_cast<unsigned>(a_.depth.size);
      int y = top;
      const T* from = plane + (z * rows + y) * rowStep;
#pragma unroll 4
      for (int i = 0; i < a_.rows.kernel; ++i) {
        const bool isRow = isLayer && static_cast<unsigned>(y) < static_cast<unsigned>(rows);
        total.add(memory_, Total::of(memory_, memory_.template loadOr<kLanes>(from, isRow, kNothing)));
        y += a_.rows.dilation;
        from += a_.rows.dilation * rowStep;
      }
    }
    return total;
  }

  // ---- shared memory

  struct alignas(16) Quad {
    float of[4];
  };

  // A number more behind every 32, where columns of windows are an even number of banks apart.
  KADVISE_HOST_DEVICE int placeOf(int element) const { return element + (element >> g_.skew); }

  KADVISE_HOST_DEVICE void keep(int line, int element, const float (&v)[kLanes]) const {
    float* const to = shared_ + line * g_.length;
    if constexpr (Form::kByChannels && kLanes % 4 == 0) {
#pragma unroll
      for (int j = 0; j < kLanes; j += 4)
        *reinterpret_cast<Quad*>(to + element + j) = {v[j], v[j + 1], v[j + 2], v[j + 3]};
    } else {
#pragma unroll
      for (int j = 0; j < kLanes; ++j) to[placeOf(element + j)] = v[j];
    }
  }

  KADVISE_HOST_DEVICE void add(const float* from, float (&total)[kAtOnce]) const {
    if constexpr (kAtOnce % 4 == 0) {
#pragma unroll
      for (int j = 0; j < kAtOnce; j += 4) {
        const Quad quad = *reinterpret_cast<const Quad*>(from + j);
#pragma unroll
        for (int k = 0; k < 4; ++k) total[j + k] = both(total[j + k], quad.of[k]);
      }
    } else {
      total[0] = both(total[0], *from);
    }
  }
  KADVISE_HOST_DEVICE float both(float a, float b) const {
    if constexpr (kKind == PoolKind::Max) return memory_.larger(a, b);
    return a + b;
  }

  // ---- the result

  template <class Finish>
  KADVISE_HOST_DEVICE void write(int line, int place, int channel, Finish finish) const {
    float total[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) total[j] = kNothing;
    const float* const from = shared_ + line * g_.length;
    const int step = Form::kByChannels ? a_.columns.dilation * g_.channels : a_.columns.dilation;
    int element = Form::kByChannels ? place * a_.columns.stride * g_.channels + channel
                                    : lead_ + place * a_.columns.stride;
#pragma unroll 4
    for (int i = 0; i < a_.columns.kernel; ++i) {
      add(from + (Form::kByChannels ? element : placeOf(element)), total);
      element += step;
    }
    if constexpr (kKind == PoolKind::Average) divide(line, column_ + place, total);
    finish(total);
    const std::int64_t pixel =
        static_cast<std::int64_t>(line_ + line) * a_.columns.resultSize + column_ + place;
    memory_.store(static_cast<T*>(a_.result) + pixel * step_ + channel_ + channel, total);
  }

  KADVISE_HOST_DEVICE void divide(int line, int column, float (&total)[kAtOnce]) const {
    float inverse = g_.average.inverse;
    if (!g_.average.countsAlike) {
      const Line at = lineOf(line_ + line);
      inverse = g_.average.inverseOf(poolSpan(a_.depth, at.depth, a_.countsPadding).count *
                                     poolSpan(a_.rows, at.row, a_.countsPadding).count *
                                     poolSpan(a_.columns, column, a_.countsPadding).count);
    }
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) total[j] *= inverse;
  }

  const PoolArgs& a_;
  const TileGrid& g_;
  const Memory& memory_;
  float* shared_;
  int thread_;
  int channel_, column_, line_;  // the first of the block
  int x_, lead_;                 // column of x where it begins, and how far behind the beginning of a piece
  int step_;                     // elements from column to column
};

}  // namespace kadvise
