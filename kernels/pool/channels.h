// What one thread of a pooling over the usual square windows does where channels are neighbours in memory: a
// few rows of the result for a few channels, column after column, so that each column of x is read and added
// up once. The next columns are on their way while these are added up.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/pool/square.h"

namespace kadvise {

template <PoolKind kKind, class Form, class Memory>
class ChannelThread : SquareThread<kKind, Form, Memory> {
  using Base = SquareThread<kKind, Form, Memory>;
  using Base::a_, Base::g_, Base::memory_, Base::columns_, Base::rows_, Base::column_, Base::row_,
      Base::depth_, Base::kNothing;
  using Of = typename Form::Of;
  static constexpr int kChannels = Form::kChannels, kRows = Form::kRows, kColumns = Form::kColumns,
                       kKept = Of::kKept, kFresh = Form::kFresh;

 public:
  using T = typename Memory::Element;

  KADVISE_HOST_DEVICE ChannelThread(const PoolArgs& a, const SquareGrid& g, std::uint32_t thread,
                                    const Memory& memory)
      : Base(a, g, memory) {
    const int lane = splitSmall(thread, g.lanes);
    column_ = splitSmall(thread, g.strips) * g.run;
    row_ = splitSmall(thread, g.rows) * kRows;
    depth_ = Form::kDepth == PoolDepth::One ? 0 : splitSmall(thread, g.depth);
    step_ = static_cast<int>(a.channels);
    const auto image = static_cast<int>(thread);
    x_ = static_cast<const T*>(a.x) + image * this->layers() * rows_ * columns_ * step_ + lane * kChannels;
    result_ = static_cast<T*>(a.result) + this->resultAt(image) * step_ + lane * kChannels;
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void run(Finish finish) {
    depths_ = Form::kDepth == PoolDepth::One ? PoolSpan{0, 1} : poolSpan(a_.depth, depth_, false);
    layers_ = this->counted(a_.depth, depth_);
    const int behind = column_ + g_.run, most = static_cast<int>(a_.columns.resultSize);
    const int end = behind < most ? behind : most;
    int x = column_ * Of::kStride - Of::kPad;
    Column column[kKept + kFresh];  // those that windows share with the ones before, and fresh ones
    Raw<kFresh> next;
    if constexpr (kKept > 0) {
      Raw<kKept> first = fetch<kKept>(0, x);
      next = fetch<kFresh>(0, x + kKept);
      totals<kKept>(first, column);
      for (int z = 1; z < depths_.count; ++z) {
        first = fetch<kKept>(z, x);
        add<kKept>(first, column);
      }
      x += kKept;
    } else {
      next = fetch<kFresh>(0, x);
    }
    for (int at = column_; at < end; at += kColumns) {
      Raw<kFresh> raw = next;
      if (depths_.count > 1) {
        next = fetch<kFresh>(1, x);
        totals<kFresh>(raw, column + kKept);
        for (int z = 1; z < depths_.count - 1; ++z) {
          raw = next;
          next = fetch<kFresh>(z + 1, x);
          add<kFresh>(raw, column + kKept);
        }
        raw = next;
      }
      x += kFresh;
      if (at + kColumns < end) next = fetch<kFresh>(0, x);
      if (depths_.count > 1) {
        add<kFresh>(raw, column + kKept);
      } else {
        totals<kFresh>(raw, column + kKept);
      }
      close(at, end, column, finish);
#pragma unroll
      for (int i = 0; i < kKept; ++i) column[i] = column[kFresh + i];
    }
  }

 private:
  // What the rows of windows find in one column of x.
  using Total = PoolTotal<kKind, kChannels, Memory>;
  struct Column {
    Total row[kRows];
  };
  template <int kCount>
  struct Raw {
    typename Memory::template Raw<kChannels> of[kCount][Form::kRowsOfX];
  };

  // Columns from x on of a layer of the windows.
  template <int kCount>
  KADVISE_HOST_DEVICE Raw<kCount> fetch(int layer, int x) const {
    const int top = row_ * Of::kStride - Of::kPad;
    const T* at = x_ + (((depths_.first + layer) * rows_ + top) * columns_ + x) * step_;
    Raw<kCount> raw;
#pragma unroll
    for (int y = 0; y < Form::kRowsOfX; ++y, at += columns_ * step_)
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        raw.of[i][y] = memory_.template loadOr<kChannels>(
            at + i * step_, this->isRow(top + y) && this->isColumn(x + i), kNothing);
    return raw;
  }

  template <int kCount>
  KADVISE_HOST_DEVICE void totals(const Raw<kCount>& raw, Column* column) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      Total row[Form::kRowsOfX];
#pragma unroll
      for (int y = 0; y < Form::kRowsOfX; ++y) row[y] = Total::of(memory_, raw.of[i][y]);
      addAlong<Of, kRows>(memory_, row, column[i].row);
    }
  }
  template <int kCount>
  KADVISE_HOST_DEVICE void add(const Raw<kCount>& raw, Column* column) const {
    Column layer[kCount];
    totals<kCount>(raw, layer);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
#pragma unroll
      for (int r = 0; r < kRows; ++r) column[i].row[r].add(memory_, layer[i].row[r]);
  }

  // ---- the result

  template <class Finish>
  KADVISE_HOST_DEVICE void close(int at, int end, const Column* column, Finish finish) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (row_ + r >= a_.rows.resultSize) return;
      Total all[kKept + kFresh], window[kColumns];
#pragma unroll
      for (int i = 0; i < kKept + kFresh; ++i) all[i] = column[i].row[r];
      addAlong<Of, kColumns>(memory_, all, window);
#pragma unroll
      for (int s = 0; s < kColumns; ++s)
        if (s == 0 || at + s < end) store(row_ + r, at + s, window[s], finish);
    }
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void store(int row, int column, const Total& total, Finish finish) const {
    T* const to =
        result_ + ((row - row_) * static_cast<int>(a_.columns.resultSize) + column - column_) * step_;
    if constexpr (kKind == PoolKind::Max) {
      if (isFloor(a_.activation)) {
        const float floor = a_.activation == Activation::Relu ? 0.0f : -HUGE_VALF;
        return memory_.template storePiece<kChannels>(
            to, memory_.template larger<kChannels>(total.most, memory_.template filled<kChannels>(floor)));
      }
    }
    float v[kChannels];
    total.widen(memory_, v);
    if constexpr (kKind == PoolKind::Average) {
      const float inverse = g_.average.countsAlike
                                ? g_.average.inverse
                                : g_.average.inverseOf(layers_ * this->counted(a_.rows, row) *
                                                       this->counted(a_.columns, column));
#pragma unroll
      for (int c = 0; c < kChannels; ++c) v[c] *= inverse;
    }
    finish(v);
    memory_.store(to, v);
  }

  int step_;         // elements from column to column
  int layers_;       // of each window, that an average counts
  PoolSpan depths_;  // of the windows
  const T* x_;       // of the thread's channels
  T* result_;        // where it stands
};

}  // namespace kadvise
