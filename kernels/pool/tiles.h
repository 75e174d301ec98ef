// What the threads of a block do where windows are counted when the kernel runs: they add up the rows of
// windows, column by column of x, leave that in shared memory, and add up columns there. So a window of many
// rows and columns costs their sum, not their product. Windows that begin at every element, which a
// thread has beside each other, share most of what they read.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/pool/square.h"
#include "kernels/pool/tile_grid.h"
#include "kernels/pool/tile_lines.h"
#include "kernels/pool/tile_pieces.h"

namespace kadvise {

template <PoolKind kKind, class Form, class Memory>
class TileThread {
 public:
  using T = typename Memory::Element;

  // `shared`: grid.sharedElements() numbers, of the block.
  KADVISE_HOST_DEVICE TileThread(const PoolArgs& a, const TileGrid& g, std::uint32_t block, int thread,
                                 float* shared, const Memory& memory)
      : a_(a),
        g_(g),
        memory_(memory),
        pieces_(memory, static_cast<int>(a.columns.size), g.inPairs),
        lines_(shared, g.length, g.skew),
        thread_(thread) {
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
    if (a_.depth.kernel == 1 && a_.rows.kernel == 1) return piecesOfX();
    g_.slidesRows ? columnsOf<Form::kRows>() : columnsOf<1>();
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void rowsOfSums(Finish finish) const {
    g_.slidesColumns ? rowsOf<Form::kColumns>(finish) : rowsOf<1>(finish);
  }

 private:
  static constexpr int kLanes = Form::kLanes;
  static constexpr float kNothing = kPoolNothing<kKind>;
  using Total = PoolTotal<kKind, kLanes, Memory>;
  using Lines = TileLines<Form>;
  using Sums = typename Lines::Sums;
  static constexpr int kAtOnce = Lines::kAtOnce;

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

  // Where the first row of the first layer of a line's windows is, in one piece of x.
  struct Place {
    bool isThere;  // its channels
    int column, z, top, rowStep;
    const T* front;  // row 0 of that layer
  };
  KADVISE_HOST_DEVICE Place placeOf(const Line& at, int piece) const {
    const int column = x_ - lead_ + (Form::kByChannels ? piece >> g_.shift : piece * kLanes);
    const int channel = channel_ + channelOf(piece);
    Place place;
    place.isThere = !Form::kByChannels || channel < a_.channels;
    place.column = column;
    place.z = at.depth * a_.depth.stride - a_.depth.pad;
    place.top = at.row * a_.rows.stride - a_.rows.pad;
    place.rowStep = static_cast<int>(a_.columns.size) * step_;
    place.front =
        static_cast<const T*>(a_.x) + at.plane * g_.plane + place.z * g_.layer + column * step_ + channel;
    return place;
  }
  KADVISE_HOST_DEVICE bool isRow(int y) const {
    return static_cast<unsigned>(y) < static_cast<unsigned>(a_.rows.size);
  }
  KADVISE_HOST_DEVICE bool isLayer(int z) const {
    return static_cast<unsigned>(z) < static_cast<unsigned>(a_.depth.size);
  }

  // Windows of one row: pieces as they are, a few of them on their way at once.
  KADVISE_HOST_DEVICE void piecesOfX() const {
    constexpr int kAhead = 4;
    const int count = g_.lines * static_cast<int>(g_.pieces.divisor);
    for (int i = thread_; i < count; i += kAhead * kTileBlock) {
      typename TilePieces<Form, Memory>::Piece raw[kAhead];
      int line[kAhead], piece[kAhead];
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        auto n = static_cast<std::uint32_t>(i + k * kTileBlock);
        piece[k] = splitSmall(n, g_.pieces);
        line[k] = static_cast<int>(n);
        const bool isLine = line[k] < g_.lines && line_ + line[k] < g_.allLines;
        const Place at = placeOf(lineOf(isLine ? line_ + line[k] : 0), piece[k]);
        raw[k] = pieces_.load(at.front + at.top * at.rowStep, at.column,
                              isLine && at.isThere && isRow(at.top) && isLayer(at.z), kNothing);
      }
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (line[k] >= g_.lines) return;
        float v[kLanes];
        memory_.template widen<kLanes>(raw[k], v);
        lines_.keep(line[k], piece[k] * kLanes, v);
      }
    }
  }

  template <int kRun>
  KADVISE_HOST_DEVICE void columnsOf() const {
    const int count = g_.lines / kRun * static_cast<int>(g_.pieces.divisor);
    for (int i = thread_; i < count; i += kTileBlock) {
      auto n = static_cast<std::uint32_t>(i);
      const int piece = splitSmall(n, g_.pieces);
      const int line = static_cast<int>(n) * kRun;
      if (line_ + line >= g_.allLines) return;
      const Line at = lineOf(line_ + line);
      if (kRun == 1 || at.row + kRun <= a_.rows.resultSize) {
        keepColumns<kRun>(at, line, piece);
      } else {  // the last of one layer and the first of the next
#pragma unroll 1
        for (int r = 0; r < kRun && line_ + line + r < g_.allLines; ++r)
          keepColumns<1>(lineOf(line_ + line + r), line + r, piece);
      }
    }
  }

  template <int kRun>
  KADVISE_HOST_DEVICE void keepColumns(const Line& at, int line, int piece) const {
    Total total[kRun];
    sumColumns<kRun>(at, piece, total);
#pragma unroll
    for (int r = 0; r < kRun; ++r) {
      float v[kLanes];
      total[r].widen(memory_, v);
      lines_.keep(line + r, piece * kLanes, v);
    }
  }

  // What the rows of the windows of kRun lines find in one piece of x.
  template <int kRun>
  KADVISE_HOST_DEVICE void sumColumns(const Line& at, int piece, Total (&total)[kRun]) const {
    const Place place = placeOf(at, piece);
#pragma unroll
    for (Total& one : total) one = Total::of(memory_, memory_.template filled<kLanes>(kNothing));
    for (int k = 0; k < a_.depth.kernel; ++k) {
      const bool isThere = place.isThere && isLayer(place.z + k * a_.depth.dilation);
      int y = place.top;
      const T* from = place.front + k * a_.depth.dilation * g_.layer + y * place.rowStep;
      slide(
          a_.rows.kernel, total,
          [&] {
            const bool when = isThere && isRow(y);
            const auto next = Total::of(memory_, pieces_.load(from, place.column, when, kNothing));
            y += a_.rows.dilation;
            from += a_.rows.dilation * place.rowStep;
            return next;
          },
          [&](Total& one, const Total& next) { one.add(memory_, next); });
    }
  }

  // ---- the result

  template <int kRun, class Finish>
  KADVISE_HOST_DEVICE void rowsOf(Finish finish) const {
    const int count = g_.lines * static_cast<int>(g_.places.divisor);
    for (int i = thread_; i < count; i += kTileBlock) {
      auto n = static_cast<std::uint32_t>(i);
      int place = splitSmall(n, g_.places);
      const auto line = static_cast<int>(n);
      if (line_ + line >= g_.allLines) return;
      const int channel = channelOf(place);
      if constexpr (Form::kByChannels) place >>= g_.shift;
      if (!Form::kByChannels || channel_ + channel < a_.channels)
        writeRow<kRun>(line, place * kRun, channel, finish);
    }
  }

  template <int kRun, class Finish>
  KADVISE_HOST_DEVICE void writeRow(int line, int place, int channel, Finish finish) const {
    Sums total[kRun];
#pragma unroll
    for (Sums& one : total)
#pragma unroll
      for (float& v : one.of) v = kNothing;
    const int step = Form::kByChannels ? a_.columns.dilation * g_.channels : a_.columns.dilation;
    int element = Form::kByChannels ? place * a_.columns.stride * g_.channels + channel
                                    : lead_ + place * a_.columns.stride;
    slide(
        a_.columns.kernel, total,
        [&] {
          const Sums next = lines_.kept(line, element);
          element += step;
          return next;
        },
        [&](Sums& one, const Sums& next) {
#pragma unroll
          for (int j = 0; j < kAtOnce; ++j) one.of[j] = both(one.of[j], next.of[j]);
        });
    const std::int64_t pixel =
        static_cast<std::int64_t>(line_ + line) * a_.columns.resultSize + column_ + place;
    T* const to = static_cast<T*>(a_.result) + pixel * step_ + channel_ + channel;
#pragma unroll
    for (int r = 0; r < kRun; ++r) {
      if (column_ + place + r >= a_.columns.resultSize) return;
      if constexpr (kKind == PoolKind::Average) divide(line, column_ + place + r, total[r].of);
      finish(total[r].of);
      memory_.store(to + r * step_, total[r].of);
    }
  }

  KADVISE_HOST_DEVICE float both(float a, float b) const {
    if constexpr (kKind == PoolKind::Max) return memory_.larger(a, b);
    return a + b;
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
  TilePieces<Form, Memory> pieces_;
  Lines lines_;
  int thread_;
  int channel_, column_, line_;  // the first of the block
  int x_, lead_;                 // column of x where it begins, and how far behind the beginning of a piece
  int step_;                     // elements from column to column
};

}  // namespace kadvise
